import type { Sql } from '#db';
import { fault } from '#kernel';
import type { ModelsService } from '#models';
import type { Figures } from '../jobs/job.ts';
import { findMeasuredPace } from '../jobs/jobs.store.ts';
import { estimateJob, tokensPerExample } from './estimate.ts';
import { resolveHyperparameters } from './hyperparameters.ts';

export type TrainingQuestion = {
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
export async function timeOfTraining(
  { sql, models }: { sql: Sql; models: Pick<ModelsService, 'find' | 'trainingProfile'> },
  { baseModelId, examples, tokens, hyperparameters }: TrainingQuestion,
): Promise<{ activeMs: Figures<number>; isMeasured: boolean; assumptions: string[] }> {
  const [baseModel, profile] = [models.find(baseModelId), models.trainingProfile(baseModelId)];
  if (!baseModel || !profile)
    throw fault('invalid_request', {
      message: `base_model: training is not offered on ${baseModelId}.`,
      param: 'base_model',
      details: { reason: 'training_not_offered' },
    });
  const { activeMs, basis } = estimateJob({
    ...{ parameters: baseModel.parameters, trainCount: examples, testCount: 0, tokens: tokens ?? 0 },
    hyperparameters: resolveHyperparameters(profile, hyperparameters),
    // Only the time is asked for.
    rateMicroPerMinute: 0n,
    measuredMsPerToken: await findMeasuredPace(sql, baseModelId),
  });
  const isMeasured = basis === 'measured_step_time';
  return {
    activeMs,
    isMeasured,
    assumptions: [
      ...(tokens === null ? [`An example has ${tokensPerExample} tokens.`] : []),
      'All examples are learned from: none is held out, and there is no control set.',
      isMeasured
        ? 'The time of a token is what jobs on this base model took here lately.'
        : 'The time of a token follows from the number of weights, on two processor cores; no job was measured yet.',
      'High is what a job would reserve.',
    ],
  };
}
