import type { Actor } from '#activity';
import type { Micro } from '#kernel';
import type { IndexMetrics } from './evaluation/metrics.ts';

type BuildState = 'queued' | 'building' | 'ready' | 'failed' | 'canceled';
/** `stale`: ready, but there is a newer version of its dataset, or another model behind its name. */
export type IndexState = BuildState | 'stale';
export type BuildPhase = 'collecting' | 'embedding' | 'evaluating';

export type IndexError = { code: string; message: string };

/** A vector index over the documents of a dataset version. */
export type DatasetIndex = {
  id: string;
  projectId: string;
  datasetId: string;
  versionId: string;
  accountId: string;
  /** The requested name. */
  model: string;
  modelRevision: number | null;
  baseModelId: string;
  baseModelSha256: string;
  /** The job whose adapter it was made with; null: the base model itself. */
  trainingJobId: string | null;
  adapterSha256: string | null;
  queryInstruction: string | null;
  maxInputTokens: number;
  dimensions: number;
  rateMicroPerMinute: Micro;
  /** Of calls that search in it. */
  queryRateMicroPerMinute: Micro;
  priceVersion: string;
  state: IndexState;
  phase: BuildPhase | null;
  /** Null: not all collected yet. */
  documents: number | null;
  embedded: number;
  /** Documents that were too long and were cut. */
  truncated: number;
  promptTokens: bigint;
  activeMs: number;
  chargedMicro: Micro | null;
  metrics: IndexMetrics | null;
  error: IndexError | null;
  createdBy: Actor;
  keyId: string | null;
  keyName: string | null;
  requestId: string;
  createdAt: Date;
  readyAt: Date | null;
};
