import type { Seen } from '../chaos/clients.ts';

export type Struck = { what: string; fromMs: number; toMs: number };

/** The longest time without a success while something was broken, ms: of any call, and of those that need the remote engine. */
export type Pause = { what: string; anyMs: number; remoteMs: number };

export function longestPauses(struck: readonly Struck[], seen: readonly Seen[]): Pause[] {
  const successes = seen.filter(({ result }) => result === 'success');
  const any = successes.map(({ endedMs }) => endedMs);
  const remote = successes.filter(({ isRemote }) => isRemote).map(({ endedMs }) => endedMs);
  return struck.map((each) => ({ what: each.what, anyMs: longest(any, each), remoteMs: longest(remote, each) }));
}

function longest(times: readonly number[], { fromMs, toMs }: Struck): number {
  const inside = times.filter((time) => time > fromMs && time < toMs).toSorted((a, b) => a - b);
  const ends = [...inside, toMs];
  return Math.max(...ends.map((time, n) => time - (ends[n - 1] ?? fromMs)));
}
