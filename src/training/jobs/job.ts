import type { Dataset, DatasetVersion } from '#datasets';
import type { Micro } from '#kernel';
import type { BaseModel } from '#models';
import type { ProjectKind } from '#projects';
import type { SnapshotManifest } from '../prepare/snapshot.ts';
import type { Hyperparameters } from '../settings/hyperparameters.ts';
import type { FailureCode, JobState } from './lifecycle.ts';

/** An attempt of a job; they are numbered from 1. */
export type AttemptName = { jobId: string; attempt: number };

/** The lease of a worker on an attempt. */
export type JobLease = AttemptName & { holder: string };

export type JobCreator = { kind: 'account' | 'api_key' | 'system'; id: string | null; label: string };

export type JobEvaluation = {
  testRatio: number | null;
  everySteps: number | null;
  earlyStoppingPatience: number | null;
  control: Control | null;
};

/** A dataset version that is measured before and after training, and the share of each step that is taken from it. */
type Control = { versionId: string; replayRatio: number };

export type JobDeployment = { alias: string; activate: boolean };

export type JobError = {
  code: FailureCode;
  message: string;
  hint: string;
  retryable: boolean;
  logSeq: number | null;
};

export type TrainingProgress = {
  step: number;
  totalSteps: number | null;
  epoch: number | null;
  etaMs: number | null;
  loss: number | null;
  evalLoss: number | null;
  tokensSeen: number;
};

export type JobResult = {
  adapter: { sizeBytes: number; sha256: string; rank: number };
  metrics: Record<string, number>;
  baselineMetrics: Record<string, number> | null;
  maxInputTokens: number | null;
  /** How far the served adapter agrees with the trained one, and differs from the base model. */
  check: { agreement: number; difference: number };
  trainer: Record<string, string>;
};

export type TrainingJob = {
  id: string;
  projectId: string;
  accountId: string;
  ownerSlug: string;
  projectSlug: string;
  name: string;
  kind: ProjectKind;
  baseModelId: string;
  baseSha256: string;
  datasetId: string;
  datasetVersionId: string;
  datasetSha256: string;
  hyperparameters: Hyperparameters;
  evaluation: JobEvaluation;
  deploy: JobDeployment | null;
  state: JobState;
  attempt: number;
  interruptions: number;
  crashes: number;
  phase: string | null;
  progress: TrainingProgress | null;
  error: JobError | null;
  result: JobResult | null;
  snapshot: SnapshotManifest | null;
  adapterSha256: string | null;
  archiveSha256: string | null;
  archiveBytes: bigint | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  logSeq: bigint;
  leaseHolder: string | null;
  createdBy: JobCreator;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  updatedAt: Date;
  /** Place in the queue, from 1; null: it does not wait. */
  queuePosition: number | null;
  deployedAs: string[];
  hasStarted: boolean;
  heldMicro: Micro;
  trained: boolean;
  restart: number;
  begunRestart: number;
  /** That any trainer of this attempt has come to. */
  furthestStep: number;
  redoneMs: number;
  /** The longest that this attempt was expected to take. */
  estimatedMs: number;
  attemptMs: number;
  resumedFrom: ResumePoint | null;
  trainerSeq: bigint;
  trainerLine: number;
  activeMs: number;
  billedMs: bigint;
  chargedMicro: Micro;
};

export type EstimateRange<Value> = { low: Value; expected: Value; high: Value };

export type JobEstimate = {
  activeMs: EstimateRange<number>;
  micro: EstimateRange<Micro>;
  basis: 'measured_step_time' | 'catalog_profile';
};

export type JobWarning = { code: string; message: string };

export type JobPlan = {
  name: string;
  baseModel: BaseModel & { installed: NonNullable<BaseModel['installed']> };
  dataset: Dataset;
  /** Null: what the dataset holds now has no version yet. */
  version: DatasetVersion | null;
  hyperparameters: Hyperparameters;
  evaluation: JobEvaluation;
  deploy: JobDeployment | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  estimate: JobEstimate;
  warnings: JobWarning[];
};

export type JobAttempt = {
  number: number;
  state: JobState;
  resumedFrom: ResumePoint | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  activeMs: number;
  billedMs: bigint | null;
  chargedMicro: Micro | null;
  steps: number;
  error: JobError | null;
  checkpoints: { step: number; loss: number | null; evalLoss: number | null; sizeBytes: number; createdAt: string }[];
};

/** A checkpoint that an attempt begins with. */
export type ResumePoint = { attempt: number; step: number; name: string };

export function artifactKeys({ jobId, attempt }: { jobId: string; attempt: number }) {
  const folder = `training/jobs/${jobId}/${attempt}`;
  return { adapter: `${folder}/adapter.gguf`, archive: `${folder}/lora.zip`, manifest: `${folder}/manifest.json` };
}
