import type { Database, Transaction } from '#db';
import { lockForChange } from '../dataset-access.ts';
import { prepared } from '../datasets.fixture.ts';
import { finishBulk } from './bulk-add.ts';
import { copyContents, copyExamples } from './bulk-writes.store.ts';
import { ContentCopy } from './content-copy.ts';
import { ExampleCopy } from './example-copy.ts';
import { exampleIds, idAt } from './example-ids.ts';
import { changeCounts } from './example-writes.store.ts';
import { KindSums } from './kind-sums.ts';
import type { Split, StorableExample } from './new-examples.ts';
import { PackCopy } from './pack-copy.ts';
import { PackedPlaces } from './pack-format.ts';
import { copyPacks, insertPlaces } from './packs.store.ts';

export type Words = { words: string; split: Split };

/**
 * How a large first import writes its examples: in packs; as rows, where packs are not known to all servers; or as servers
 * before packs did, where contents knew the examples that they came with.
 */
export type Form = 'packs' | 'rows' | 'knowing';

export async function storables(words: readonly Words[]): Promise<StorableExample[]> {
  return (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));
}

type FirstImport = {
  datasetId: string;
  examples: readonly StorableExample[];
  form: Form;
  /** Of packs: the most examples in one. */
  together?: number;
};

/** The first change of a dataset, of examples that say different things. Their tokens are their places. */
export async function importFirst(
  database: Database,
  { datasetId, examples: given, form, together = 100 }: FirstImport,
): Promise<void> {
  const firstId = exampleIds()();
  const examples = given.map((example, place) => ({ ...example, tokens: place % 7 === 3 ? null : place }));
  const sums = new KindSums('import');
  for (const example of examples) sums.add(example);
  await database.transaction(async (tx) => {
    await lockForChange(tx, datasetId);
    const write = { packs: writePacked, rows: writeRows, knowing: writeKnowing }[form];
    const packs = await write(tx, { datasetId, firstId, examples, together });
    await changeCounts(tx, datasetId, sums.list());
    const packed = packs === null ? null : { packs, originId: 'imp_1' };
    await finishBulk(tx, { datasetId, seq: 1n, firstId, added: examples.length, unsearched: true, packed });
  });
}

type Written = { datasetId: string; firstId: string; examples: readonly StorableExample[]; together: number };

async function writePacked(tx: Transaction, { datasetId, examples, together }: Written): Promise<number> {
  const places = new PackedPlaces(examples.length);
  const copy = new PackCopy({ datasetId, places, bytes: 1 });
  const byHash = [...examples.entries()].sort(([, one], [, other]) => one.hash.compare(other.hash));
  const from = Buffer.concat(byHash.flatMap(([, { hash, json }]) => [hash, Buffer.from(json)]));
  let hashAt = 0;
  for (const [nth, [place, example]] of byHash.entries()) {
    const start = hashAt + example.hash.length;
    copy.add(from, { hashAt, start, end: start + example.bytes, place, example });
    hashAt = start + example.bytes;
    if (nth % together === together - 1) copy.endPack();
  }
  copy.endPack();
  await copyPacks(tx, copy.take());
  await insertPlaces(tx, datasetId, [...places.stretches()]);
  return copy.packs;
}

async function writeRows(tx: Transaction, { datasetId, firstId, examples }: Written): Promise<null> {
  const contents = new ContentCopy({ datasetId, bytes: 1 });
  const rows = new ExampleCopy({ datasetId, seq: 1n, importId: 'imp_1', firstId, searched: false, bytes: 1 });
  for (const { hash, json, ...example } of examples) {
    const from = Buffer.concat([hash, Buffer.from(json)]);
    contents.add(from, 0, { start: hash.length, end: from.length });
    rows.add(from, 0, example);
  }
  await copyContents(tx, contents.take());
  await copyExamples(tx, rows.take());
  return null;
}

async function writeKnowing(tx: Transaction, { datasetId, firstId, examples }: Written): Promise<null> {
  for (const [place, { hash, json, bytes, split, tokens, valid, issues }] of examples.entries()) {
    const id = idAt(firstId, place);
    await tx.query('insert into example_contents (dataset_id, hash, content, example_id) values ($1, $2, $3, $4)', [
      ...[datasetId, hash, json, id],
    ]);
    await tx.query(
      `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues,
         searched, came_with_content)
       values ($1, $2, 1, $3, $4, $5, 'import', 'imp_1', $6, $7, $8, false, true)`,
      [datasetId, id, hash, bytes, split, tokens, valid, issues.length === 0 ? null : JSON.stringify(issues)],
    );
  }
  return null;
}
