import assert from 'node:assert/strict';
import { createCursorCodec } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import { prepared, type seedDataset } from '../datasets.fixture.ts';
import { type Dataset, findDataset } from '../datasets.store.ts';
import { runIndexWords } from '../search/index-words.ts';
import { createRestSearch } from '../search/rest-search.ts';
import type { DatasetVersion } from '../versions/versions.store.ts';
import { freezeVersion } from '../versions/versions.ts';
import { addExamples } from './add-examples.ts';
import { bulkAdd } from './bulk-add.ts';
import { type ExampleQuestion, listExamples } from './example-list.ts';
import type { Split, StorableExample } from './new-examples.ts';

export type Words = { words: string; split?: Split };
export type Asked = Partial<Omit<ExampleQuestion, 'dataset'>>;

const rule = { dedupe: 'none', maxExamples: 1_000_000 } as const;

const question = (dataset: Dataset, asked: Asked): ExampleQuestion => ({
  ...{ dataset, version: null, q: null, split: null, origin: null, valid: null },
  ...asked,
});

/** Datasets whose examples are added in either way, listed and searched. */
export async function openExamples() {
  const { database, drop } = await createTestDatabase();
  const cursors = createCursorCodec(Buffer.alloc(32, 7));
  const deps = { sql: database, cursors, rests: createRestSearch(), isMaking: async () => false };

  async function add(datasetId: string, words: Words[]): Promise<string[]> {
    const examples = await prepared(...words);
    const added = await database.transaction((tx) => addExamples(tx, { datasetId, examples, ...rule }));
    return added.map(({ id }) => id ?? '');
  }

  /** As an import does it: most of the words are not in the index. */
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

  const page = (dataset: Dataset, asked: Asked, at: { limit: number; cursor?: string | null }) =>
    listExamples(deps, question(dataset, asked), { cursor: null, ...at });

  /** What all pages together have. */
  async function all(dataset: Dataset, asked: Asked, limit = 100): Promise<{ texts: string[]; total: number }> {
    const texts: string[] = [];
    let cursor: string | null = null;
    let total = -1;
    do {
      const found = await page(dataset, asked, { limit, cursor });
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

  /** Makes blocks of what was added in bulk. */
  const makeBlocks = (datasetId: string, mostExamples: number) =>
    runIndexWords(database, { datasetId }, { signal: new AbortController().signal, mostExamples });

  return { database, drop, add, addInBulk, datasetOf, page, all, freeze, makeBlocks };
}
