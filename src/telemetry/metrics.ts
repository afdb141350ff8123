import { collectDefaultMetrics, Registry } from 'prom-client';
import { watchBatches } from './batch-metrics.ts';
import { createCallMetrics } from './call-metrics.ts';
import { createHttpMetrics } from './http-metrics.ts';
import type { Family } from './series.ts';
import { type Observed, watchState } from './state-metrics.ts';

export type ProcessMetrics = ReturnType<typeof createMetrics>;

/** All that is counted in this process, as the page that scrapers read. */
export function createMetrics() {
  const registry = new Registry();
  // Memory, processor time, event loop, garbage collection, handles.
  collectDefaultMetrics({ register: registry });
  const [http, calls, batches] = [createHttpMetrics(), createCallMetrics(), watchBatches()];
  const families: Family[] = [...http.families, ...calls.families, ...batches.families];
  return {
    http,
    observeCall: calls.observe,
    watchState: (observed: Observed) => watchState(registry, observed),
    page: async () => ({
      type: registry.contentType,
      text: [...families.map(({ render }) => render()), await registry.metrics()].join('\n'),
    }),
    stop: batches.stop,
  };
}
