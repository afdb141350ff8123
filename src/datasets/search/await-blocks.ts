import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { type Addition, listAdditions } from './additions.store.ts';

type State = { datasetId: string; seq: bigint };

export type Patience = {
  /** So many examples are looked through at once rather than waited for. */
  rest: number;
  pollMs: number;
  /** A block takes a second or a few: nobody is making any, or has lost the processor. */
  stuckMs: number;
  mostMs: number;
};

const usual: Patience = { rest: 20_000, pollMs: 200, stuckMs: 8_000, mostMs: 60_000 };

/**
 * The large additions of a state, the newest first, once most of what is in them stands in blocks. Right after an import that is
 * worth a wait: looking through its examples one by one takes each search as long as making the blocks, and holds that up.
 */
export async function awaitBlocks(
  sql: Sql,
  state: State,
  { rest, pollMs, stuckMs, mostMs }: Patience = usual,
): Promise<Addition[]> {
  const began = performance.now();
  let movedMs = began;
  let left = Number.POSITIVE_INFINITY;
  for (;;) {
    const additions = await listAdditions(sql, state);
    const nowMs = performance.now();
    const leftNow = additions.reduce((sum, addition) => sum + unmadeOf(addition), 0);
    if (leftNow < left) movedMs = nowMs;
    left = leftNow;
    if (left <= rest || nowMs - movedMs >= stuckMs || nowMs - began >= mostMs) return additions;
    await sleep(pollMs);
  }
}

function unmadeOf({ examples, blockEnds }: Addition): number {
  return examples - (blockEnds.at(-1) ?? 0);
}
