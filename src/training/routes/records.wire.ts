import type { Static } from 'typebox';
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
