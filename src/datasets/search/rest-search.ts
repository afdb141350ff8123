import pLimit from 'p-limit';
import type { Sql } from '#db';
import type { SearchTerm } from '../content/search-words.ts';
import { linesOf } from './addition-lines.ts';
import type { Addition } from './additions.store.ts';
import { BlockMaker } from './block-maker.ts';
import type { MatchBits } from './match-bits.ts';

/** The examples of an addition from a place on that are in no block yet. */
type Rest = { addition: Addition; first: number; end: number; matches: MatchBits };

export type RestSearch = {
  /** Adds those of them that have all terms, among these what lists filter by, to its matches. */
  find: (sql: Sql, datasetId: string, asked: { rest: Rest; terms: readonly SearchTerm[] }) => Promise<void>;
};

/** Each takes a thread and a connection, and of a million examples most of a minute. */
const atOnce = 2;
/** Starting a thread takes longer than looking through a few thousand examples. */
const idleMs = 5_000;

/** Looks through examples one by one until they have come into blocks; a few searches at a time, the others wait. */
export function createRestSearch(): RestSearch {
  const idle = new Map<BlockMaker, NodeJS.Timeout>();
  const limit = pLimit(atOnce);

  function take(): BlockMaker {
    const [kept] = idle;
    if (!kept) return new BlockMaker();
    const [thread, timer] = kept;
    idle.delete(thread);
    clearTimeout(timer);
    thread.isIdle = false;
    return thread;
  }

  function keep(thread: BlockMaker): void {
    thread.isIdle = true;
    const end = () => {
      idle.delete(thread);
      void thread.stop();
    };
    idle.set(thread, setTimeout(end, idleMs).unref());
  }

  async function withThread(work: (thread: BlockMaker) => Promise<void>): Promise<void> {
    const thread = take();
    try {
      await work(thread);
    } catch (error) {
      await thread.stop();
      throw error;
    }
    keep(thread);
  }

  return {
    find: (sql, datasetId, asked) => limit(() => withThread((thread) => find(sql, datasetId, { ...asked, thread }))),
  };
}

type Asked = { rest: Rest; terms: readonly SearchTerm[]; thread: BlockMaker };

async function find(
  sql: Sql,
  datasetId: string,
  { rest: { addition, first, end, matches }, terms, thread }: Asked,
): Promise<void> {
  let at = 0;
  for await (const { examples, lines } of linesOf(sql, datasetId, { addition, from: first, to: end })) {
    for (const place of await thread.find(lines, terms)) matches.add(at + place);
    at += examples;
  }
}
