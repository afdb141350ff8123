import { chargeOf } from '#calls';
import type { Sql } from '#db';
import { fault, type Micro } from '#kernel';
import type { ModelsService } from '#models';
import type { EstimateRange, JobEstimate } from '../jobs/job.ts';
import { findMsPerToken } from '../jobs/jobs.store.ts';
import { type Hyperparameters, numberOf, resolveHyperparameters } from './hyperparameters.ts';

type EstimateInput = {
  parameters: number;
  trainCount: number;
  testCount: number;
  tokens: number;
  hyperparameters: Hyperparameters;
  rateMicroPerMinute: Micro;
  /** Time that a token took here lately, ms; null: nothing was measured. */
  measuredMsPerToken: number | null;
  doneShare?: number;
  replayRatio?: number;
  controlCount?: number;
};

/** Of a machine with two processor cores, ms per token and billion weights: forward, backward, and forward again. */
const msPerBillion = 60;
/** What a step takes apart from its tokens, and a run apart from its steps. */
const msPerStep = 80;
const msPerRun = 3_000;
/** Evaluations before, between and after read the held-out examples, forward only. */
const evaluations = 4;
/** The control set is read before and after, up to so many examples of it. */
const controlReadings = 2;
const mostControl = 500;
const tokensPerExample = 200;
/** High enough that a slow machine stays below it: what is held is the most that is charged. */
const spread = { low: 0.4, high: 4 };

export function estimateSteps({
  trainCount,
  hyperparameters,
}: Pick<EstimateInput, 'trainCount' | 'hyperparameters'>): number {
  const perStep = numberOf(hyperparameters, 'batch_size', 8) * numberOf(hyperparameters, 'gradient_accumulation', 1);
  const steps = Math.ceil(trainCount / perStep) * numberOf(hyperparameters, 'epochs', 1);
  return Math.max(1, Math.min(steps, numberOf(hyperparameters, 'max_steps', Number.POSITIVE_INFINITY)));
}

export function estimateJob(input: EstimateInput): JobEstimate {
  const { trainCount, testCount, hyperparameters, measuredMsPerToken, doneShare = 0, replayRatio = 0 } = input;
  const examples = Math.max(1, trainCount + testCount);
  const tokens = input.tokens > 0 ? input.tokens : examples * tokensPerExample;
  const perEpoch = Math.round(trainCount / (1 - replayRatio));
  const steps = estimateSteps({ trainCount: perEpoch, hyperparameters }) * (1 - doneShare);
  const perStep = numberOf(hyperparameters, 'batch_size', 8) * numberOf(hyperparameters, 'gradient_accumulation', 1);
  const learned = (tokens / examples) * steps * perStep;
  const readings = testCount * evaluations + Math.min(input.controlCount ?? 0, mostControl) * controlReadings;
  const evaluated = (tokens / examples) * (readings / 3);
  const msPerToken = measuredMsPerToken ?? (input.parameters / 1e9) * msPerBillion;
  // What was measured has everything in it.
  const overhead = measuredMsPerToken === null ? steps * msPerStep + msPerRun : msPerRun;
  const expected = (learned + evaluated) * msPerToken + overhead;
  const basis = measuredMsPerToken === null ? 'catalog_profile' : 'measured_step_time';
  return priced(
    { low: expected * spread.low, expected, high: expected * spread.high },
    input.rateMicroPerMinute,
    basis,
  );
}

export function estimateRest(
  { remainingSteps, msPerStep: step }: { remainingSteps: number; msPerStep: number },
  rateMicroPerMinute: Micro,
): JobEstimate {
  const expected = remainingSteps * step + msPerRun;
  return priced(
    { low: expected * 0.7, expected, high: expected * 2.5 + msPerRun },
    rateMicroPerMinute,
    'measured_step_time',
  );
}

function priced(ms: EstimateRange<number>, rate: Micro, basis: JobEstimate['basis']): JobEstimate {
  const activeMs = { low: Math.ceil(ms.low), expected: Math.ceil(ms.expected), high: Math.ceil(ms.high) };
  const micro = {
    low: chargeOf(activeMs.low, rate),
    expected: chargeOf(activeMs.expected, rate),
    high: chargeOf(activeMs.high, rate),
  };
  return { activeMs, micro, basis };
}

type TrainingTimeQuery = {
  baseModelId: string;
  examples: number;
  /** Of all examples; null: nobody has counted them. */
  tokens: number | null;
  hyperparameters: Record<string, unknown>;
};

/**
 * How long a job would take that learns from all of these examples, by what its dry run tells; also for a base model whose
 * weights are not here. Throws a fault that names a hyperparameter that a job would not take.
 */
export async function estimateTrainingTime(
  { sql, models }: { sql: Sql; models: Pick<ModelsService, 'find' | 'trainingProfile'> },
  { baseModelId, examples, tokens, hyperparameters }: TrainingTimeQuery,
): Promise<{ activeMs: EstimateRange<number>; isMeasured: boolean; assumptions: string[] }> {
  const [baseModel, profile] = [models.find(baseModelId), models.trainingProfile(baseModelId)];
  if (!baseModel || !profile)
    throw fault('invalid_request', {
      message: `base_model: training is not offered on ${baseModelId}.`,
      param: 'base_model',
      details: { reason: 'training_not_offered' },
    });
  const { activeMs, basis } = estimateJob({
    parameters: baseModel.parameters,
    trainCount: examples,
    testCount: 0,
    tokens: tokens ?? 0,
    hyperparameters: resolveHyperparameters(profile, hyperparameters),
    // Only the time is asked for.
    rateMicroPerMinute: 0n,
    measuredMsPerToken: await findMsPerToken(sql, baseModelId),
  });
  const isMeasured = basis === 'measured_step_time';
  return {
    activeMs,
    isMeasured,
    assumptions: [
      ...(tokens === null ? [`An example has ${tokensPerExample} tokens.`] : []),
      'All examples are learned from: none is held out, and there is no regression check.',
      isMeasured
        ? 'The time of a token is what jobs on this base model took here lately.'
        : 'The time of a token follows from the number of weights, on two processor cores; no job was measured yet.',
      'High is what a job would reserve.',
    ],
  };
}
