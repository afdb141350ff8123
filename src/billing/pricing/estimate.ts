import type { CostPace } from '#calls';
import { billingUnits, priceOfUnits } from '#calls';
import type { Micro } from '#kernel';

/** What somebody wants to know the price of. */
export type Work =
  | { kind: 'active_time'; activeMs: number; requests: number }
  | { kind: 'generation'; promptTokens: number; maxTokens: number; requests: number }
  | { kind: 'embedding'; inputTokens: number; requests: number };

/** Examples to learn from; `tokens` is null where nobody has counted them, and hyperparameters are those of a training job. */
export type TrainingWork = { examples: number; tokens: number | null; hyperparameters: Record<string, unknown> };

/** What training knows of the time that it takes. */
export type TrainingTime = { activeMs: Figures<number>; isMeasured: boolean; assumptions: string[] };

/** How the time of the work is known: it was given, this server measured its pace, or the model's size tells roughly. */
type Basis = 'exact' | 'measured' | 'catalog_profile';

export type Figures<T> = { low: T; expected: T; high: T };

export type Estimate = {
  units: Figures<bigint>;
  activeMs: Figures<number>;
  micro: Figures<Micro>;
  basis: Basis;
  assumptions: string[];
};

export type EstimateInput = {
  work: Work;
  rateMicroPerMinute: Micro;
  /** Number of weights. */
  parameters: number;
  /** null: nothing was measured here yet. */
  measured: CostPace | null;
};

/** Of a machine with two processor cores, ms per token and billion weights; a GPU is many times faster. */
const profile = { prefillMs: 8, decodeMs: 40 };

/** Estimates a cost by the formula of charges; each request is rounded up by itself. */
export function estimate({ work, rateMicroPerMinute, parameters, measured }: EstimateInput): Estimate {
  const { activeMs, assumptions } = timeOf(work, measured ?? paceOf(parameters));
  const basis = basisOf(work, measured);
  const priced = priceOf(activeMs, { requests: work.requests, rateMicroPerMinute });
  return { ...priced, basis, assumptions: [...assumptions, ...assumptionOf(basis)] };
}

/** The cost of a training, which is charged as a whole. */
export function estimateTraining(time: TrainingTime, rateMicroPerMinute: Micro): Estimate {
  const priced = priceOf(time.activeMs, { requests: 1, rateMicroPerMinute });
  return { ...priced, basis: time.isMeasured ? 'measured' : 'catalog_profile', assumptions: time.assumptions };
}

function priceOf(
  activeMs: Figures<number>,
  { requests, rateMicroPerMinute }: { requests: number; rateMicroPerMinute: Micro },
): Pick<Estimate, 'units' | 'activeMs' | 'micro'> {
  const units = mapFigures(activeMs, billingUnits);
  return {
    units: mapFigures(units, (each) => each * BigInt(requests)),
    activeMs: mapFigures(activeMs, (each) => Math.round(each * requests)),
    micro: mapFigures(units, (each) => priceOfUnits(each, rateMicroPerMinute) * BigInt(requests)),
  };
}

function paceOf(parameters: number): CostPace {
  const billions = parameters / 1e9;
  return { prefillMsPerToken: billions * profile.prefillMs, decodeMsPerToken: billions * profile.decodeMs };
}

/** Of one request. */
function timeOf(work: Work, pace: CostPace): { activeMs: Figures<number>; assumptions: string[] } {
  switch (work.kind) {
    case 'active_time':
      return { activeMs: { low: work.activeMs, expected: work.activeMs, high: work.activeMs }, assumptions: [] };
    case 'generation':
      return timeOfGeneration(work, pace);
    case 'embedding': {
      const expected = work.inputTokens * pace.prefillMsPerToken;
      return {
        activeMs: { low: expected, expected, high: 2 * expected },
        assumptions: ['High: the machine is half as fast as usual.'],
      };
    }
  }
}

function timeOfGeneration({ promptTokens, maxTokens }: { promptTokens: number; maxTokens: number }, pace: CostPace) {
  const [prompt, answer] = [promptTokens * pace.prefillMsPerToken, maxTokens * pace.decodeMsPerToken];
  return {
    activeMs: { low: pace.decodeMsPerToken, expected: prompt + answer / 2, high: 2 * (prompt + answer) },
    assumptions: [
      'Low: the prompt is cached and the answer is one token.',
      'Expected: nothing is cached and the answer has half of max_tokens.',
      'High: nothing is cached, the answer has all of max_tokens and the machine is half as fast as usual.',
    ],
  };
}

function basisOf(work: Work, measured: CostPace | null): Basis {
  if (work.kind === 'active_time') return 'exact';
  return measured ? 'measured' : 'catalog_profile';
}

function assumptionOf(basis: Basis): string[] {
  if (basis === 'measured') return ['The time of a token is what this server measured last.'];
  if (basis === 'catalog_profile')
    return [
      'The time of a token follows from the number of weights, on two processor cores; nothing was measured yet.',
    ];
  return [];
}

function mapFigures<A, B>({ low, expected, high }: Figures<A>, map: (value: A) => B): Figures<B> {
  return { low: map(low), expected: map(expected), high: map(high) };
}
