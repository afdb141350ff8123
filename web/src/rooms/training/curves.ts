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

/** The trainer keeps the weights with the lowest validation loss. */
export function lowestOf(points: readonly Point[]): Point | undefined {
  let lowest: Point | undefined;
  for (const point of points) if (lowest === undefined || point[1] < lowest[1]) lowest = point;
  return lowest;
}

/** A rise that is more than noise. */
const leastRise = 0.02;

/** Whether the validation loss has risen since its lowest point. */
export function isOverfitting(points: readonly Point[], [lowestStep, lowest]: Point): boolean {
  const last = points.reduce<Point | undefined>(
    (latest, each) => (latest && latest[0] > each[0] ? latest : each),
    undefined,
  );
  return last !== undefined && last[0] > lowestStep && last[1] > lowest * (1 + leastRise);
}
