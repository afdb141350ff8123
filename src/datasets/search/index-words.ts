import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { firstIdAt } from '#kernel';
import { linesOf } from './addition-lines.ts';
import {
  type Addition,
  accountOfDataset,
  appendBlock,
  findUnsearchedAddition,
  listUnsearched,
  noteUnknownAdditions,
} from './additions.store.ts';
import { BlockMaker } from './block-maker.ts';
import { copyPages } from './blocks.store.ts';
import { blockExamples } from './word-block.ts';

/** Takes what an import added into blocks. Until it has, a search reads those examples one by one. */
export const indexWordsTask = defineTask<{ datasetId: string }>('datasets.index_words', { retries: 20 });

export async function enqueueIndexing(sql: Sql, jobs: Pick<Jobs, 'enqueue'>, datasetId: string): Promise<void> {
  const turnOf = await accountOfDataset(sql, datasetId);
  if (turnOf !== null) await jobs.enqueue(sql, indexWordsTask, { datasetId }, { key: datasetId, turnOf });
}

export function isIndexing(sql: Sql, jobs: Jobs, datasetId: string): Promise<boolean> {
  return jobs.isAtWork(sql, indexWordsTask, datasetId);
}

/** What a queue has lost, or given up, is begun again when a process starts. */
export async function resumeIndexing(sql: Sql, jobs: Jobs): Promise<void> {
  for (const datasetId of await listUnsearched(sql)) await enqueueIndexing(sql, jobs, datasetId);
}

/** While servers are upgraded, some of them are of the version before: an hour or so. */
const upgradeMs = 24 * 3_600_000;

type Run = Pick<TaskRun, 'signal'> & { mostExamples?: number };

/** Each block is kept as soon as it is made, so another attempt goes on from there. */
export async function runIndexWords(
  database: Database,
  { datasetId }: { datasetId: string },
  { signal, mostExamples = blockExamples }: Run,
): Promise<void> {
  await noteUnknownAdditions(database, datasetId, firstIdAt('ex', Date.now() - upgradeMs));
  let addition = await findUnsearchedAddition(database, datasetId);
  if (!addition) return;
  const maker = new BlockMaker();
  try {
    for (; addition; addition = await findUnsearchedAddition(database, datasetId)) {
      signal.throwIfAborted();
      await addBlock(database, datasetId, { addition, maker, signal, mostExamples });
    }
  } finally {
    await maker.stop();
  }
}

type Work = Required<Run> & { addition: Addition; maker: BlockMaker };

async function addBlock(database: Database, datasetId: string, work: Work): Promise<void> {
  const { addition, maker, signal, mostExamples } = work;
  const { seq, examples, blockEnds } = addition;
  const first = blockEnds.at(-1) ?? 0;
  let end = first;
  const to = Math.min(first + mostExamples, examples);
  for await (const some of linesOf(database, datasetId, { addition, from: first, to })) {
    signal.throwIfAborted();
    end += some.examples;
    if (await maker.add(some.lines)) break;
  }
  const pages = await maker.end();
  await database.transaction(async (tx) => {
    const isOurs = await appendBlock(tx, { datasetId, seq, first, end });
    // Else another process has made the same block.
    if (isOurs) await copyPages(tx, { datasetId, seq, first, pages });
  });
}
