import type { Point } from '../../charts/line-scale.ts';

/** The trainer keeps the weights with the lowest validation loss. */
export function lowestOf(points: readonly Point[]): Point | undefined {
  let lowest: Point | undefined;
  for (const point of points) if (lowest === undefined || point[1] < lowest[1]) lowest = point;
  return lowest;
}

/** The trainer keeps the weights of an embedding model with the highest rank measure. */
export function highestOf(points: readonly Point[]): Point | undefined {
  const lowest = lowestOf(points.map(([step, value]): Point => [step, -value]));
  return lowest && [lowest[0], -lowest[1]];
}

/** From this proportion of the greatest value to the least, a linear scale hides the small ones. */
const wideProportion = 20;

export function isWide(points: readonly Point[]): boolean {
  let [least, greatest] = [Number.POSITIVE_INFINITY, 0];
  for (const [, value] of points)
    if (value > 0) [least, greatest] = [Math.min(least, value), Math.max(greatest, value)];
  return greatest >= least * wideProportion;
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
