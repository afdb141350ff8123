import type { CallEnd, CallWatch, ObservedCall } from '#inference';
import { createCounter, createGauge, createHistogram } from './series.ts';

const waitBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60];
const durationBuckets = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120, 300];

/**
 * Calls of models, by base model: an operator installs a handful of those. Nothing that an account makes up (aliases,
 * projects, keys) is a label.
 */
export function createCallMetrics() {
  const families = createFamilies();
  const [ofModel, ofCalls] = [
    remembered((model: string) => modelSeries(families, model)),
    remembered((key: string) => callSeries(families, key.split('\n'))),
  ];

  function observe({ operation, modelServed: model }: ObservedCall): CallWatch {
    const startMs = performance.now();
    const secondsSince = () => (performance.now() - startMs) / 1000;
    const calls = ofCalls(`${operation}\n${model}`);
    calls.inFlight.add(1);
    return {
      firstDelta: () => ofModel(model).firstTokens.observe(secondsSince()),
      ended(end) {
        calls.inFlight.add(-1);
        calls.durations.observe(secondsSince());
        calls.ended(end.outcome).add(1);
        if (end.kind === 'ran') ofModel(model).ran(end);
      },
    };
  }

  return { families: Object.values(families), observe };
}

/** Makes each value once; the keys are few. */
function remembered<Value>(make: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

type Families = ReturnType<typeof createFamilies>;

function callSeries({ inFlight, durations, calls }: Families, labels: readonly string[]) {
  return {
    inFlight: inFlight.at(labels),
    durations: durations.at(labels),
    ended: remembered((outcome: string) => calls.at([...labels, outcome])),
  };
}

function modelSeries({ firstTokens, tokens, active }: Families, model: string) {
  const [prompt, completion] = [tokens.at([model, 'prompt']), tokens.at([model, 'completion'])];
  const [reasoning, cached] = [tokens.at([model, 'reasoning']), tokens.at([model, 'cached'])];
  const activeSeconds = active.at([model]);
  return {
    firstTokens: firstTokens.at([model]),
    ran({ usage, activeMs }: Extract<CallEnd, { kind: 'ran' }>): void {
      prompt.add(usage.promptTokens);
      completion.add(usage.completionTokens);
      reasoning.add(usage.reasoningTokens);
      cached.add(usage.cachedTokens);
      activeSeconds.add(activeMs / 1000);
    },
  };
}

function createFamilies() {
  return {
    calls: createCounter({
      name: 'fanfold_calls_total',
      help: 'Calls that reached a model, by outcome: succeeded, client_disconnected, or the code of the error.',
      labelNames: ['operation', 'model', 'outcome'],
    }),
    inFlight: createGauge({
      name: 'fanfold_calls_in_flight',
      help: 'Calls that are in flight.',
      labelNames: ['operation', 'model'],
    }),
    durations: createHistogram({
      name: 'fanfold_call_duration_seconds',
      help: 'Time of a call from its admission to its charge.',
      labelNames: ['operation', 'model'],
      buckets: durationBuckets,
    }),
    firstTokens: createHistogram({
      name: 'fanfold_call_time_to_first_token_seconds',
      help: 'Time from the admission of a call to the first piece of its answer.',
      labelNames: ['model'],
      buckets: waitBuckets,
    }),
    tokens: createCounter({
      name: 'fanfold_tokens_total',
      help: 'Tokens of calls that were charged. Cached ones are among those of the prompt, reasoning among the completion.',
      labelNames: ['model', 'kind'],
    }),
    active: createCounter({
      name: 'fanfold_active_seconds_total',
      help: 'Active time of calls that were charged: their shares of the steps of the engine.',
      labelNames: ['model'],
    }),
  };
}
