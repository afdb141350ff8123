import type { JobResult, TrainingJob } from '../jobs/job.ts';
import type { SnapshotManifest } from '../prepare/snapshot.ts';

/** What a job learns from, whole in the object store; the same job gives the same snapshot. Throws `AttemptFailure`. */
export type MakeSnapshot = (job: TrainingJob, signal: AbortSignal) => Promise<SnapshotManifest>;

/** An attempt whose trainer is done, with what it wrote. */
export type Trained = {
  job: TrainingJob;
  snapshot: SnapshotManifest;
  /** `out_dir` of the trainer. */
  outFolder: string;
  metrics: Record<string, number>;
  baselineMetrics: Record<string, number> | null;
  versions: Record<string, string>;
};

type Published = {
  result: JobResult;
  adapterSha256: string;
  archive: { sha256: string; bytes: number };
};

/** Checks that what was learned can be served, and puts it where it is served from. Throws `AttemptFailure`. */
export type Publish = (trained: Trained, signal: AbortSignal) => Promise<Published>;
