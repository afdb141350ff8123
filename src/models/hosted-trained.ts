import type { Adapter } from '#engine';
import type { CountedRows, ListPosition } from '#kernel';
import type { ModelKind } from './base-model.ts';
import type { HostedModel } from './hosted-models.store.ts';

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

export type TrainedModels = {
  /** Those of the jobs that the account may use, by id. */
  find: (jobIds: readonly string[], accountId: string) => Promise<ReadonlyMap<string, TrainedModel>>;
};

/** What lists show of a training job, which does not need its files. */
export type TrainedFacts = Pick<TrainedModel, 'jobId' | 'maxInputTokens' | 'queryInstruction'>;

/** Where lists learn about the jobs that aliases stand for, by id; each as far as the owner of its alias may use it. */
export type TrainedJobs = {
  describe: (jobs: readonly { jobId: string; accountId: string }[]) => Promise<ReadonlyMap<string, TrainedFacts>>;
};

export function jobsBehind<Alias extends Pick<HostedModel, 'targetType' | 'targetId'>>(
  aliases: readonly Alias[],
  ownerOf: (alias: Alias) => string,
): { jobId: string; accountId: string }[] {
  return aliases
    .filter(({ targetType }) => targetType === 'training_job')
    .map((alias) => ({ jobId: alias.targetId, accountId: ownerOf(alias) }));
}

export type FinishedJob = {
  id: string;
  name: string;
  kind: ModelKind;
  baseModelId: string;
  projectSlug: string;
  ownerId: string;
  ownerSlug: string;
  isArchived: boolean;
  maxInputTokens: number | null;
  createdAt: Date;
  finishedAt: Date;
  /** `createdAt` with microseconds. */
  position: string;
};

/** null: does not matter. `q` is folded text. */
export type FinishedJobsFilter = {
  accountId: string;
  kind: ModelKind | null;
  project: { ownerSlug: string; slug: string } | null;
  q: string | null;
};

export type FinishedJobs = {
  list: (filter: FinishedJobsFilter, page: { after: ListPosition; limit: number }) => Promise<CountedRows<FinishedJob>>;
};

/** An installation that trains nothing: there is no job that anybody could use. */
export const noFinishedJobs: FinishedJobs = { list: () => Promise.resolve({ rows: [], totalCount: 0 }) };
