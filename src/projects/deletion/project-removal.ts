import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { createIntervalTask, type IntervalTask, type Log } from '#kernel';
import { claimRemoval, type DeletedProject, releaseClaim, removeProjectRow, renewClaim } from './deletion.store.ts';

/**
 * Removes what a room stores of a deleted project. It can be done again, also by another server at the same time. What it
 * has to leave for now keeps the row of the project by a foreign key, and the next round comes back to it.
 */
export type ProjectRemovalStep = (project: DeletedProject, run: RemovalRun) => Promise<void>;

export type RemovalRun = {
  /** Repeats a small piece of work until it finds nothing more to do; between two of them others have their turn. */
  repeat: (work: () => Promise<number>) => Promise<void>;
};

export type ProjectRemovalOptions = {
  database: Database;
  log?: Pick<Log, 'warn'>;
  /** In the order in which rows refer to each other: what is referred to comes later. */
  steps: readonly ProjectRemovalStep[];
};

export type ProjectRemoval = IntervalTask & {
  /** One round over all projects whose removal is due. */
  runAll: () => Promise<void>;
};

const pauseMs = 5_000;
/** After so long on one project the next one has its turn. */
const sliceMs = 20_000;
const renewMs = 10_000;
/** The longest pause between two pieces of work, which is otherwise as long as the piece was. */
const longestRestMs = 2_000;

/** Removes what is stored in deleted projects, on every server that does background work; each takes a project of its own. */
export function createProjectRemoval({ database, log, steps }: ProjectRemovalOptions): ProjectRemoval {
  let ending = new AbortController();
  const task = createIntervalTask({ pauseMs, first: 'at once', work: () => runAll(ending.signal), onError: report });

  function report(err: unknown): void {
    if (!ending.signal.aborted) log?.warn({ err }, 'what is stored in a deleted project is not removed yet');
  }

  async function runAll(signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) return;
      const project = await claimRemoval(database);
      if (!project) return;
      await removeSlice(project, signal).catch(report);
    }
  }

  async function removeSlice(project: DeletedProject, signal: AbortSignal): Promise<void> {
    const run = createRun(database, project, signal);
    try {
      for (const step of steps) await step(project, run);
      // False: the claim ends by itself, and then somebody looks again.
      await removeProjectRow(database, project.id);
    } catch (error) {
      if (error instanceof EndOfSlice || signal.aborted) await releaseClaim(database, project.id);
      else throw error;
    }
  }

  return {
    start() {
      ending = new AbortController();
      task.start();
    },
    async stop() {
      ending.abort();
      await task.stop();
    },
    runAll: () => runAll(ending.signal),
  };
}

class EndOfSlice extends Error {}

function createRun(database: Database, { id }: DeletedProject, signal: AbortSignal): RemovalRun {
  const startMs = performance.now();
  let renewedMs = startMs;
  return {
    async repeat(work) {
      for (;;) {
        signal.throwIfAborted();
        const beganMs = performance.now();
        if ((await work()) === 0) return;
        const nowMs = performance.now();
        if (nowMs - startMs > sliceMs) throw new EndOfSlice();
        if (nowMs - renewedMs > renewMs) {
          await renewClaim(database, id);
          renewedMs = nowMs;
        }
        await sleep(Math.min(nowMs - beganMs, longestRestMs), undefined, { signal });
      }
    },
  };
}
