import assert from 'node:assert/strict';
import { createCursorCodec } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import { prepared, type seedDataset } from '../datasets.fixture.ts';
import { type Dataset, findDataset } from '../datasets.store.ts';
import type { DatasetVersion } from '../versions/versions.store.ts';
import { freezeVersion } from '../versions/versions.ts';
import { addExamples } from './add-examples.ts';
import { bulkAdd } from './bulk-add.ts';
import { type ExampleQuery, listExamples } from './example-list.ts';
import type { Split, StorableExample } from './new-examples.ts';

export type Words = { words: string; split?: Split };
export type PartialQuery = Partial<Omit<ExampleQuery, 'dataset'>>;

const rule = { dedupe: 'none', maxExamples: 1_000_000 } as const;

const queryOf = (dataset: Dataset, query: PartialQuery): ExampleQuery => ({
  dataset,
  version: null,
  q: null,
  split: null,
  origin: null,
  valid: null,
  ...query,
});

/** Datasets whose examples are added in either way, listed and searched. */
export async function openExamples() {
  const { database, drop } = await createTestDatabase();
  const cursors = createCursorCodec(Buffer.alloc(32, 7));
  const deps = { database, cursors };

  async function add(datasetId: string, words: Words[]): Promise<string[]> {
    const examples = await prepared(...words);
    const added = await database.transaction((tx) => addExamples(tx, { datasetId, examples, ...rule }));
    return added.map(({ id }) => id ?? '');
  }

  /** As an import does it. */
  async function addInBulk(datasetId: string, words: Words[]): Promise<void> {
    const storables = (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));
    async function* source(): AsyncGenerator<StorableExample[]> {
      yield storables;
    }
    await database.transaction((tx) => bulkAdd(tx, { datasetId, examples: source(), ...rule }));
  }

  const datasetOf = async (seeded: Awaited<ReturnType<typeof seedDataset>>): Promise<Dataset> => {
    const dataset = await findDataset(database, { projectId: seeded.project.id, id: seeded.datasetId });
    assert.ok(dataset);
    return dataset;
  };

  const page = (dataset: Dataset, query: PartialQuery, at: { limit: number; cursor?: string | null }) =>
    listExamples(deps, queryOf(dataset, query), { cursor: null, ...at });

  /** What all pages together have. */
  async function all(dataset: Dataset, query: PartialQuery, limit = 100): Promise<{ texts: string[]; total: number }> {
    const texts: string[] = [];
    let cursor: string | null = null;
    let total = -1;
    do {
      const found = await page(dataset, query, { limit, cursor });
      const shown = found.rows.slice(0, limit);
      texts.push(...shown.map(({ json }) => JSON.parse(json).messages[0].content));
      const last = shown.at(-1);
      if (total >= 0) assert.equal(found.totalCount, total);
      total = found.totalCount;
      cursor = found.rows.length > limit && last ? found.cursorOf(last) : null;
    } while (cursor !== null);
    return { texts, total };
  }

  async function freeze({ datasetId, author }: Awaited<ReturnType<typeof seedDataset>>): Promise<DatasetVersion> {
    const source = { kind: 'manual', id: null } as const;
    return (await database.transaction((tx) => freezeVersion(tx, { datasetId, author, source, maxVersions: 9 })))
      .version;
  }

  return { database, drop, add, addInBulk, datasetOf, page, all, freeze };
}
