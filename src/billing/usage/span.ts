/** From `since` on and before `until`; null is without a bound. */
export type Span = { since: Date | null; until: Date | null };

/** What there are sums of: hours and days (UTC), and everything. */
export type Grain = 'hour' | 'day' | 'ever';

type SummedSpan = { grain: Grain } & Span;

/** An end of a span for which there is no sum: to be added, or, where less has to be read, taken off a sum of more. */
type Edge = { since: Date; until: Date; weight: 1 | -1 };

export type SpanParts = { summed: SummedSpan[]; edges: Edge[] };

type Range = { from: number; to: number };

const hourMs = 3_600_000;
const steps = [
  { grain: 'day', ms: 24 * hourMs },
  { grain: 'hour', ms: hourMs },
] as const;

/** Takes a span apart into as few sums as cover it, of those that there are, and what is left at its ends. */
export function partsOf({ since, until }: Span, grains: readonly Grain[]): SpanParts {
  if (since === null && until === null && grains.includes('ever'))
    return { summed: [{ grain: 'ever', since: null, until: null }], edges: [] };
  const whole = {
    from: since?.getTime() ?? Number.NEGATIVE_INFINITY,
    to: until?.getTime() ?? Number.POSITIVE_INFINITY,
  };
  return cover(
    whole,
    steps.filter(({ grain }) => grains.includes(grain)),
  );
}

/** The coarsest grain takes its whole steps out of the middle; the finer ones cover what is left on both sides. */
function cover(range: Range, [coarsest, ...finer]: readonly (typeof steps)[number][]): SpanParts {
  if (!(range.from < range.to)) return { summed: [], edges: [] };
  // Infinity counts as a whole hour and a whole day, so that an edge has both ends.
  if (!coarsest) return { summed: [], edges: edgesOf(range, 1) };
  const { grain, ms } = coarsest;
  const inner = { from: Math.ceil(range.from / ms) * ms, to: Math.floor(range.to / ms) * ms };
  if (!(inner.from < inner.to)) return cover(range, finer);
  if (finer.length === 0) return coverRoundly(range, inner, coarsest);
  const before = cover({ from: range.from, to: inner.from }, finer);
  const after = cover({ from: inner.to, to: range.to }, finer);
  return {
    summed: [...before.summed, { grain, since: dateOf(inner.from), until: dateOf(inner.to) }, ...after.summed],
    edges: [...before.edges, ...after.edges],
  };
}

/** Whole steps, the nearest ones to the ends, and what they have too little or too much. */
function coverRoundly(range: Range, inner: Range, { grain, ms }: (typeof steps)[number]): SpanParts {
  const from = inner.from - range.from > ms / 2 ? inner.from - ms : inner.from;
  const to = range.to - inner.to > ms / 2 ? inner.to + ms : inner.to;
  return {
    summed: [{ grain, since: dateOf(from), until: dateOf(to) }],
    edges: [
      ...(from < range.from ? edgesOf({ from, to: range.from }, -1) : edgesOf({ from: range.from, to: from }, 1)),
      ...(to > range.to ? edgesOf({ from: range.to, to }, -1) : edgesOf({ from: to, to: range.to }, 1)),
    ],
  };
}

function edgesOf({ from, to }: Range, weight: 1 | -1): Edge[] {
  return from < to ? [{ since: new Date(from), until: new Date(to), weight }] : [];
}

function dateOf(time: number): Date | null {
  return Number.isFinite(time) ? new Date(time) : null;
}
