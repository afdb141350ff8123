import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { type Addition, listAdditions } from './additions.store.ts';

type State = { datasetId: string; seq: bigint };

export type Patience = {
  /** So many examples are looked through at once rather than waited for. */
  rest: number;
  pollMs: number;
  /** A block takes a second or a few: whoever makes them has lost the processor. */
  stuckMs: number;
  mostMs: number;
};

const usual: Patience = { rest: 20_000, pollMs: 200, stuckMs: 8_000, mostMs: 60_000 };

/** Whether somebody makes blocks of a dataset now. */
export type IsMaking = (datasetId: string) => Promise<boolean>;

/**
 * The large additions of a state, the newest first, once most of what is in them stands in blocks, while somebody makes them. Right
 * after an import that is worth a wait: looking through its examples one by one takes each search as long as making the blocks,
 * and holds that up.
 */
export async function awaitBlocks(
  sql: Sql,
  state: State,
  { isMaking, patience = usual }: { isMaking: IsMaking; patience?: Patience },
): Promise<Addition[]> {
  const { rest, pollMs, stuckMs, mostMs } = patience;
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
    // Whoever made them may have ended just before.
    if (!(await isMaking(state.datasetId))) return listAdditions(sql, state);
    await sleep(pollMs);
  }
}

function unmadeOf({ examples, blockEnds }: Addition): number {
  return examples - (blockEnds.at(-1) ?? 0);
}
