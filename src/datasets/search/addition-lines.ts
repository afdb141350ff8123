import type { Sql } from '#db';
import { idAt } from '../examples/example-ids.ts';
import type { Addition } from './additions.store.ts';
import { readLines } from './blocks.store.ts';

/** Some examples of an addition from a place on, a line each. */
export type Lines = { examples: number; lines: string };

/** Read together: this many, unless they are long. */
const most = { examples: 256, bytes: 4_000_000 };

/** The examples of an addition between two places, some at a time; the next ones are read while these are worked with. */
export async function* linesOf(
  sql: Sql,
  datasetId: string,
  { addition, from, to }: { addition: Addition; from: number; to: number },
): AsyncGenerator<Lines> {
  const readFrom = (place: number): Promise<Lines> | null => {
    if (place >= to) return null;
    const reading = read(sql, datasetId, { addition, from: place, to: Math.min(place + most.examples, to) });
    // It is waited for below, unless nobody wants it any more.
    reading.catch(() => {});
    return reading;
  };
  let place = from;
  for (let reading = readFrom(place); reading !== null; ) {
    const some = await reading;
    place += some.examples;
    reading = readFrom(place);
    yield some;
  }
}

async function read(
  sql: Sql,
  datasetId: string,
  { addition: { seq, firstId }, from, to }: { addition: Addition; from: number; to: number },
): Promise<Lines> {
  const stretch = { fromId: idAt(firstId, from), endId: idAt(firstId, to) };
  const { found, ...some } = await readLines(sql, { datasetId, seq, ...stretch, bytes: most.bytes });
  // Words would stand at the places of others.
  if (found !== to - from) throw new Error(`An addition lacks examples from ${stretch.fromId} on. This is a bug.`);
  return some;
}
