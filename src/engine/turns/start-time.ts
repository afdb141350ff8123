/**
 * When a request can start, in ms from now: requests ahead of it, given in their order by how long they still run, are started one
 * after the other, each as soon as one of the places is free. Pure.
 */
export function startMs(aheadMs: readonly number[], places: number): number {
  // When each place is free again.
  const freeAt = aheadMs.slice(0, places).toSorted((a, b) => a - b);
  if (freeAt.length < places) return 0;
  for (const runMs of aheadMs.slice(places)) insert(freeAt, (freeAt.shift() ?? 0) + runMs);
  return freeAt[0] ?? 0;
}

/** Into a list that is in order. */
function insert(sorted: number[], value: number): void {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) <= value) from = middle + 1;
    else to = middle;
  }
  sorted.splice(from, 0, value);
}
