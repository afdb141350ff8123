import type { TrainingJob } from '../jobs/job.ts';
import type { SnapshotManifest } from '../prepare/snapshot.ts';
import type { AdapterCheck } from './check-adapter.ts';

export type ManifestParts = {
  job: TrainingJob;
  snapshot: SnapshotManifest;
  versions: Record<string, string>;
  files: { name: string; sha256: string; size_bytes: number }[];
  gguf: { sha256: string; sizeBytes: number; rank: number };
  check: AdapterCheck;
  metrics: { before: Record<string, number> | null; after: Record<string, number> };
};

/** Where an adapter comes from, down to the last digest. The same attempt gives the same text. */
export function manifestOf({ job, snapshot, versions, files, gguf, check, metrics }: ManifestParts) {
  const { control } = job.evaluation;
  return {
    format: 1,
    job: { id: job.id, name: job.name, attempt: job.attempt, kind: job.kind },
    base: { model: job.baseModelId, sha256: job.baseSha256 },
    dataset: { id: job.datasetId, version_id: job.datasetVersionId, sha256: job.datasetSha256 },
    snapshot: {
      sha256: snapshot.sha256,
      template_sha256: snapshot.templateSha256,
      tokenizer_sha256: snapshot.tokenizerSha256,
      counts: snapshot.counts,
    },
    hyperparameters: job.hyperparameters,
    adapter: { sha256: gguf.sha256, size_bytes: gguf.sizeBytes, rank: gguf.rank },
    check: { agreement: check.agreement, difference: check.difference },
    ...(control && snapshot.control
      ? {
          control: {
            version_id: control.versionId,
            counts: snapshot.control,
            before: controlMetrics(metrics.before ?? {}),
            after: controlMetrics(metrics.after),
          },
        }
      : {}),
    trainer: versions,
    files,
  };
}

function controlMetrics(metrics: Record<string, number>): Record<string, number> {
  const prefix = 'control.';
  const entries = Object.entries(metrics).filter(([name]) => name.startsWith(prefix));
  return Object.fromEntries(entries.map(([name, value]) => [name.slice(prefix.length), value]));
}
