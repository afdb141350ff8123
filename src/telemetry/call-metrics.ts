import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { CallEnd, CallWatch, ObservedCall } from '#inference';

const waitBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300];

/**
 * Calls of models, by base model: an operator installs a handful of those. Nothing that a tenant makes up (aliases,
 * projects, keys) is a label.
 */
export function createCallMetrics(registry: Registry): (call: ObservedCall) => CallWatch {
  const registers = [registry];
  const calls = new Counter({
    name: 'fanfold_calls_total',
    help: 'Calls that reached a model, by outcome: succeeded, client_disconnected, or the code of the error.',
    labelNames: ['operation', 'model', 'outcome'] as const,
    registers,
  });
  const inFlight = new Gauge({
    name: 'fanfold_calls_in_flight',
    help: 'Calls that are under way.',
    labelNames: ['operation', 'model'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'fanfold_call_duration_seconds',
    help: 'Time of a call from its admission to its charge.',
    labelNames: ['operation', 'model'] as const,
    buckets: durationBuckets,
    registers,
  });
  const firstTokens = new Histogram({
    name: 'fanfold_call_time_to_first_token_seconds',
    help: 'Time from the admission of a call to the first piece of its answer.',
    labelNames: ['model'] as const,
    buckets: waitBuckets,
    registers,
  });
  const tokens = new Counter({
    name: 'fanfold_tokens_total',
    help: 'Tokens of calls that were charged. Cached ones are among those of the prompt, reasoning among the completion.',
    labelNames: ['model', 'kind'] as const,
    registers,
  });
  const active = new Counter({
    name: 'fanfold_active_seconds_total',
    help: 'Active time of calls that were charged: their shares of the steps of the engine.',
    labelNames: ['model'] as const,
    registers,
  });

  function ran(model: string, end: Extract<CallEnd, { kind: 'ran' }>): void {
    tokens.inc({ model, kind: 'prompt' }, end.usage.promptTokens);
    tokens.inc({ model, kind: 'completion' }, end.usage.completionTokens);
    tokens.inc({ model, kind: 'reasoning' }, end.usage.reasoningTokens);
    tokens.inc({ model, kind: 'cached' }, end.usage.cachedTokens);
    active.inc({ model }, end.activeMs / 1000);
  }

  return ({ operation, modelServed: model }) => {
    const startMs = performance.now();
    inFlight.inc({ operation, model });
    return {
      firstDelta: () => firstTokens.observe({ model }, (performance.now() - startMs) / 1000),
      ended(end) {
        inFlight.dec({ operation, model });
        calls.inc({ operation, model, outcome: end.outcome });
        durations.observe({ operation, model }, (performance.now() - startMs) / 1000);
        if (end.kind === 'ran') ran(model, end);
      },
    };
  };
}
