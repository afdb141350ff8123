/** From `since` on and before `until`; null is without a bound. */
export type Span = { since: Date | null; until: Date | null };

/** What there are sums of: whole hours and days (UTC), and everything. */
export type Grain = 'hour' | 'day' | 'ever';

export type SummedSpan = { grain: Grain } & Span;

export type SpanParts = {
  summed: SummedSpan[];
  /** What is left at the ends, each within one hour. */
  edges: { since: Date; until: Date }[];
};

type Range = { from: number; to: number };

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/**
 * Takes a span apart into as few sums as cover it: days in the middle, hours before and after them, and what is less
 * than an hour at its ends.
 *
 * @param longest a sum covers no more, because each hour or day is told by itself.
 */
export function partsOf({ since, until }: Span, longest: Grain = 'ever'): SpanParts {
  if (since === null && until === null && longest === 'ever')
    return { summed: [{ grain: 'ever', since: null, until: null }], edges: [] };
  const whole = {
    from: since?.getTime() ?? Number.NEGATIVE_INFINITY,
    to: until?.getTime() ?? Number.POSITIVE_INFINITY,
  };
  const hours = within(whole, hourMs);
  const days = within(hours, dayMs);
  if (hours.from > hours.to) return { summed: [], edges: edgesOf([whole]) };
  const edges = edgesOf([before(whole, hours), after(whole, hours)]);
  if (longest === 'hour' || days.from >= days.to) return { summed: summed('hour', hours), edges };
  const around = [before(hours, days), after(hours, days)].flatMap((range) => summed('hour', range));
  return { summed: [...around, ...summed('day', days)], edges };
}

/** The whole hours or days of a range; `from` is behind `to` when there is not even one border in it. */
function within({ from, to }: Range, stepMs: number): Range {
  return { from: Math.ceil(from / stepMs) * stepMs, to: Math.floor(to / stepMs) * stepMs };
}

const before = (outer: Range, inner: Range): Range => ({ from: outer.from, to: inner.from });
const after = (outer: Range, inner: Range): Range => ({ from: inner.to, to: outer.to });

function summed(grain: 'hour' | 'day', { from, to }: Range): SummedSpan[] {
  return from < to ? [{ grain, since: dateOf(from), until: dateOf(to) }] : [];
}

/** An edge has both ends: infinity counts as a whole hour. */
function edgesOf(ranges: readonly Range[]): SpanParts['edges'] {
  return ranges
    .filter(({ from, to }) => from < to)
    .map(({ from, to }) => ({ since: new Date(from), until: new Date(to) }));
}

function dateOf(time: number): Date | null {
  return Number.isFinite(time) ? new Date(time) : null;
}
