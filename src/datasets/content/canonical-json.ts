import { isDeeperThan } from '#kernel';

/** Deeper values are refused: reading and writing them recurses, and would need a stack without bound. */
const maxDepth = 64;

/**
 * A copy whose keys are sorted at every level, so that `JSON.stringify` gives equal text for equal values. Null when the
 * value is nested too deeply.
 */
export function sortedCopy(value: unknown): unknown {
  return isDeeperThan(value, maxDepth) ? null : sorted(value);
}

/** JSON without spaces whose keys are sorted: equal content gives equal text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}
