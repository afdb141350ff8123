import { systemActor } from '#activity';
import { createDatasets, type Datasets, type StorableExample } from '#datasets';
import type { Database } from '#db';
import { createJobs } from '#jobs';
import { createCursorCodec } from '#kernel';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { startBenchDatabase } from './database.ts';
import { type ExampleTexts, exampleTexts } from './example-texts.ts';
import { quantile } from './load.ts';
import type { Row } from './table.ts';

const searches = 60;
const rounds = 3;
const manyMs = 600_000;

/**
 * Search of examples over HTTP (who asks, whose dataset it is, one page with its contents, count up to 10,000).
 * Words are drawn from the texts themselves, so frequent ones are among them. Beside it: how quickly examples are
 * added in bulk, and how quickly their words are indexed.
 */
export async function benchExamples({ examples = 200_000 }: { examples?: number } = {}): Promise<Row[]> {
  const { database, url, drop } = await startBenchDatabase();
  const jobs = createJobs({ url, works: false });
  const datasets = createDatasets({
    database,
    jobs,
    limits: unlimited,
    cursors: createCursorCodec(Buffer.alloc(32, 1)),
    models: { baseModels: () => [] },
    tokenCounter: { count: async () => [], close: async () => {} },
  });
  await jobs.start();
  const texts = exampleTexts(7);
  try {
    const place = await seed(database, datasets);
    const addedMs = await timed(() => addMany(database, datasets, { datasetId: place.datasetId, texts, examples }));
    const app = await startApp(database);
    try {
      const indexedMs = await timed(() => untilIndexed(database));
      for (const table of ['examples', 'example_contents', 'example_words'])
        await database.query(`vacuum analyze ${table}`, [], { timeoutMs: manyMs });
      return [
        { ...rate('examples added in bulk, per second', examples, addedMs), goal: 5_000 },
        rate('examples indexed, per second', examples, indexedMs),
        await search(`${app.origin}${place.path}`, { key: place.key, queries: queriesOf(texts), examples }),
      ];
    } finally {
      await app.stop();
    }
  } finally {
    await jobs.stop(0);
    await drop();
  }
}

const unlimited = {
  maxDatasets: 10,
  maxExamplesPerDataset: 100_000_000,
  maxVersionsPerDataset: 10,
  maxIndexes: 0,
  maxImportBytes: 0,
  maxImportRows: 0,
  minTrainingExamples: 1,
};

async function seed(database: Database, datasets: Datasets) {
  const { accountId, slug } = await seedAccount(database);
  const { key } = await seedKey(database, { accountId });
  const { projectId, slug: project } = await seedProject(database, { accountId });
  const author = { accountId, actor: systemActor, project: { ownerSlug: slug, slug: project } };
  const { id: datasetId } = await database.transaction((tx) =>
    datasets.createDataset(tx, { project: { id: projectId, kind: 'text' }, name: 'Large', author }),
  );
  return { key, datasetId, path: `/api/v1/projects/${slug}/${project}/datasets/${datasetId}/examples` };
}

type Adding = { datasetId: string; texts: ExampleTexts; examples: number };

async function addMany(database: Database, datasets: Datasets, { datasetId, texts, examples }: Adding): Promise<void> {
  async function* batches(): AsyncGenerator<StorableExample[]> {
    for (let left = examples; left > 0; left -= 1_000) {
      const contents = Array.from({ length: Math.min(1_000, left) }, () => texts.next());
      const prepared = await datasets.prepare(
        { kind: 'text', targetModel: null },
        contents.map((content) => ({ content, split: 'train', origin: 'import', originId: null })),
      );
      yield prepared.flatMap(({ example }) => (example ? [example] : []));
    }
  }
  await database.transaction((tx) => datasets.bulkAdd(tx, { datasetId, examples: batches(), dedupe: 'exact' }));
}

async function untilIndexed(database: Database): Promise<void> {
  for (;;) {
    const waiting = await database.query('select from unindexed_examples');
    if (waiting.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function queriesOf({ word }: ExampleTexts): string[] {
  return Array.from({ length: searches }, (_, index) => (index % 2 === 0 ? word() : `${word()} ${word()}`));
}

type Search = { key: string; queries: readonly string[]; examples: number };

async function search(url: string, { key, queries, examples }: Search): Promise<Row> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++)
    for (const q of queries)
      times.push(
        await timed(async () => {
          const response = await fetch(`${url}?q=${encodeURIComponent(q)}`, { headers: bearer(key) });
          await response.json();
        }),
      );
  const quantileMs = (q: number) => quantile(sorted(times), q);
  return {
    name: `search in ${examples} examples, p95, ms`,
    ratio: quantileMs(0.95),
    goal: 100,
    sense: 'at most',
    figures: `p50 ${quantileMs(0.5).toFixed(1)} ms, longest ${quantileMs(1).toFixed(1)} ms`,
  };
}

function rate(name: string, examples: number, ms: number): Row {
  return {
    name,
    ratio: (examples / ms) * 1_000,
    goal: null,
    sense: 'at least',
    figures: `${(ms / 1_000).toFixed(1)} s`,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
