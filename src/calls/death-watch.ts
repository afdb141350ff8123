import type { Sighting } from './servers.store.ts';

/**
 * Tells which instances are dead: those whose life sign did not change while this process was watching for
 * `deadAfterMs`. Only the order of life signs counts, never their distance from a clock, so neither a jump of the
 * database's clock nor of ours kills anybody. Time in which this process saw nothing (the database was away, the
 * machine slept) counts as `longestGapMs` at most: the others could not renew their sign then either.
 */
export type DeathWatch = {
  /** @param nowMs monotonic. @returns the dead among `sightings`. */
  observe: (sightings: readonly Sighting[], nowMs: number) => Sighting[];
};

type Silence = { seenAt: string | null; silentMs: number };

export function createDeathWatch({
  deadAfterMs,
  longestGapMs,
}: {
  deadAfterMs: number;
  longestGapMs: number;
}): DeathWatch {
  let silences = new Map<string, Silence>();
  let lastMs: number | null = null;

  return {
    observe(sightings, nowMs) {
      const passedMs = lastMs === null ? 0 : Math.min(nowMs - lastMs, longestGapMs);
      lastMs = nowMs;
      const before = silences;
      silences = new Map();
      const dead: Sighting[] = [];
      for (const sighting of sightings) {
        const known = before.get(sighting.id);
        const silentMs = known && known.seenAt === sighting.seenAt ? known.silentMs + passedMs : 0;
        silences.set(sighting.id, { seenAt: sighting.seenAt, silentMs });
        if (silentMs >= deadAfterMs) dead.push(sighting);
      }
      return dead;
    },
  };
}
