import type { Adapter } from '#engine';
import type { ModelKind } from './base-model.ts';

/** A training job as somebody sees it who wants to serve its result. */
export type TrainedModel = {
  jobId: string;
  kind: ModelKind;
  baseModelId: string;
  /** Of the job; only `succeeded` can be served. */
  state: string;
  /** null until the job has succeeded. */
  adapter: Adapter | null;
  /** Longest input that it was trained for; null: that of the base model. */
  maxInputTokens: number | null;
  queryInstruction: string | null;
};

/** Where hosted models learn about training jobs. */
export type TrainedModels = {
  /** Those of the jobs that the account may use, by id. */
  find: (jobIds: readonly string[], accountId: string) => Promise<ReadonlyMap<string, TrainedModel>>;
};

/** An installation that trains nothing: there is no job that anybody could use. */
export const noTrainedModels: TrainedModels = { find: () => Promise.resolve(new Map()) };
