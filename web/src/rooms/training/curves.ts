import type { Point } from '../../charts/line-scale.ts';
import type { Metrics } from './training-queries.ts';

const namedCurves = ['learning_rate', 'grad_norm', 'tokens_per_second'] as const;
type NamedCurve = (typeof namedCurves)[number];

export const isNamedCurve = (name: string): name is NamedCurve => namedCurves.some((each) => each === name);

/** Metrics during training; those before it belong to the result. */
export function seriesNames({ series }: Metrics): string[] {
  return series.map(({ name }) => name).filter((name) => !name.startsWith('baseline.'));
}

export function pointsOf({ series }: Metrics, name: string): readonly Point[] {
  const found = series.find((each) => each.name === name);
  return (found?.points ?? []).flatMap(([x, value]): Point[] =>
    x === undefined || value === undefined ? [] : [[x, value]],
  );
}
