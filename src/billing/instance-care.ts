import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { type Clock, createIntervalTask, joinIntervalTasks, type Log } from '#kernel';
import { createDeathWatch } from './death-watch.ts';
import { releaseFreeHolds, releaseHolds } from './holds.store.ts';
import { buryInstances, deleteInstance, lookAround, renewInstance, type Sighting } from './instances.store.ts';
import { isLockedOut, lockMs } from './locked-accounts.ts';

export type InstanceTiming = {
  /** Pause between life signs. */
  beatMs: number;
  /** Pause between sweeps. */
  sweepMs: number;
  /** Silence after which an instance is dead. */
  deadAfterMs: number;
};

/** Keeps this instance alive in the database, and the holds of the dead and its own forgotten ones out of it. */
export type InstanceCare = {
  start: () => void;
  /** Resolves once the instance is in the database: holds without an instance look abandoned. */
  registered: () => Promise<void>;
  stop: () => Promise<void>;
};

export type InstanceCareOptions = {
  database: Database;
  instanceId: string;
  clock: Clock;
  log: Log | undefined;
  times: InstanceTiming;
  /** Whether a call with this request id is in flight here. */
  isOpen: (requestId: string) => boolean;
  /** Others took this instance for dead: its holds are gone. */
  onRevival: () => void;
};

const farewellAttempts = 5;
const farewellPauseMs = 500;
const patience = { timeoutMs: 5_000, lockMs };

export function createInstanceCare(options: InstanceCareOptions): InstanceCare {
  const { database, instanceId, clock, log, times, isOpen } = options;
  // A sweep that takes long must not count as silence of the others.
  const watch = createDeathWatch({ deadAfterMs: times.deadAfterMs, longestGapMs: times.sweepMs * 1.2 });
  let registration: Promise<unknown> | null = null;

  async function sweep(): Promise<void> {
    const { others, ownHolds } = await lookAround(database, instanceId);
    // Holds whose placing or release had an unknown outcome. A call is open before its hold can be seen here.
    const forgotten = ownHolds.filter((requestId) => !isOpen(requestId));
    const dead = watch.observe(others, clock.monotonicMs());
    if (dead.length > 0) {
      const holds = await bury(dead);
      log?.info({ instances: dead.map(({ id }) => id), holds }, 'gave back the holds of dead instances');
    }
    if (forgotten.length > 0)
      await orPassingOver(
        () => releaseHolds(database, forgotten, patience),
        () => releaseFreeHolds(database, forgotten, patience),
      );
  }

  const bury = (sightings: readonly Sighting[]) =>
    orPassingOver(
      () => buryInstances(database, sightings, { lockMs }),
      () => buryInstances(database, sightings, { lockMs, passingOver: true }),
    );

  async function leave(): Promise<void> {
    await deleteInstance(database, instanceId);
    await bury([{ id: instanceId, seenAt: null }]);
  }

  async function registered(): Promise<void> {
    registration ??= renewInstance(database, instanceId).catch((error: unknown) => {
      registration = null;
      throw error;
    });
    await registration;
  }

  async function showLife(): Promise<void> {
    await registered();
    const { wasUnknown } = await renewInstance(database, instanceId);
    if (wasUnknown) options.onRevival();
  }

  const onError = (trouble: string) => (error: unknown) => log?.warn({ err: error, instanceId }, trouble);
  const tasks = joinIntervalTasks([
    // A statement of its own: nothing that others look for may keep a life sign back.
    createIntervalTask({ pauseMs: times.beatMs, first: 'at once', work: showLife, onError: onError('no life sign') }),
    createIntervalTask({
      pauseMs: times.sweepMs,
      first: 'at once',
      work: sweep,
      onError: onError('no sweep of holds'),
    }),
  ]);

  return {
    registered,
    start: tasks.start,
    async stop() {
      await tasks.stop();
      for (let attempt = 1; attempt <= farewellAttempts; attempt++) {
        try {
          return await leave();
        } catch (error) {
          // Then the other instances, or the next start, find the holds of a dead instance.
          if (attempt === farewellAttempts) log?.warn({ err: error, instanceId }, 'left without giving back holds');
          else await sleep(farewellPauseMs);
        }
      }
    },
  };
}

/** Where the row of an account is locked for long, its holds wait for the next sweep, and nobody waits for them. */
async function orPassingOver<T>(all: () => Promise<T>, free: () => Promise<T>): Promise<T> {
  try {
    return await all();
  } catch (error) {
    if (!isLockedOut(error)) throw error;
    return free();
  }
}
