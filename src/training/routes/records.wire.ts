import type { Static } from 'typebox';
import type { DatasetVersion } from '#datasets';
import type { TrainingJob } from '../jobs/job.ts';
import type { LogLine } from '../logs/logs.store.ts';
import type { Point } from '../metrics/metrics.store.ts';
import type { logSchema, metricsSchema } from './records.schema.ts';

export function logToWire({ seq, at, ...line }: LogLine): Static<typeof logSchema> {
  return { seq: Number(seq), at: at.toISOString(), ...line };
}

export function metricsToWire(attempt: number, points: readonly Point[]): Static<typeof metricsSchema> {
  const byName = Map.groupBy(points, ({ name }) => name);
  const series = [...byName].map(([name, each]) => ({
    name,
    points: each.map(({ step, value }): [number, number] => [step, value]),
  }));
  return { attempt, series };
}

export function frozenToWire({ snapshot }: TrainingJob, version: DatasetVersion) {
  return {
    dataset_id: version.datasetId,
    version_id: version.id,
    sha256: version.sha256,
    example_count: version.trainCount + version.testCount,
    split_counts: { train: version.trainCount, test: version.testCount },
    tokens: snapshot && {
      samples: snapshot.counts.train,
      held_out: snapshot.counts.eval,
      trained: snapshot.counts.trainedTokens,
      dropped: snapshot.counts.dropped.too_long,
      not_learnable: snapshot.counts.dropped.not_learnable ?? 0,
    },
    snapshot_sha256: snapshot?.sha256 ?? null,
  };
}
