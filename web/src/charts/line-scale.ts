import { ticksBetween } from './scale.ts';

export type Point = readonly [x: number, value: number];

type Box = { width: number; height: number; margin: { top: number; right: number; bottom: number; left: number } };

type Scale = ReturnType<typeof scaleOf>;

type Bounds = {
  range?: readonly [number, number] | undefined;
  fromZero?: boolean;
  /** Ticks of the values, which enclose them; by default round numbers. */
  ticksOf?: typeof ticksBetween;
};

/** Maps values to pixels; the ticks enclose all values. */
export function scaleOf(
  series: readonly { points: readonly Point[] }[],
  { width, height, margin }: Box,
  { range, fromZero = false, ticksOf = ticksBetween }: Bounds = {},
) {
  const points = series.flatMap((each) => each.points);
  const [minX, maxX] = range ?? rangeOf(points.map(([x]) => x));
  const [least, maxValue] = rangeOf(points.map(([, value]) => value));
  const minValue = fromZero ? Math.min(0, least) : least;
  const ticks = ticksOf(minValue, maxValue, 4);
  const [bottom, top] = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const inner = {
    width: Math.max(0, width - margin.left - margin.right),
    height: Math.max(0, height - margin.top - margin.bottom),
  };
  const spanX = maxX - minX || 1;
  const span = top - bottom || 1;
  return {
    minX,
    maxX,
    ticks,
    x: (x: number) => margin.left + ((x - minX) / spanX) * inner.width,
    y: (value: number) => margin.top + inner.height * (1 - (value - bottom) / span),
    xAt: (px: number) => minX + ((px - margin.left) / Math.max(1, inner.width)) * spanX,
  };
}

/** Not by spreading into Math.min: the number of arguments is limited. */
function rangeOf(values: readonly number[]): [number, number] {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return values.length === 0 ? [0, 1] : [min, max];
}

export function pathOf(points: readonly Point[], { x, y }: Scale): string {
  return points.map(([at, value], index) => `${index === 0 ? 'M' : 'L'}${round(x(at))},${round(y(value))}`).join('');
}

const round = (px: number): number => Math.round(px * 10) / 10;

/** The nearest of sorted numbers. */
export function nearest(sorted: readonly number[], value: number): number | null {
  let best: number | null = null;
  for (const each of sorted) if (best === null || Math.abs(each - value) < Math.abs(best - value)) best = each;
  return best;
}
