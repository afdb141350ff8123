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
 * Search of examples over HTTP (who asks, whose dataset it is, one page with its contents, exact count of all matches)
 * against the same page and count in plain SQL, on a table with a `tsvector` column and a GIN index as one would make it.
 * Words are drawn from the texts themselves, so frequent ones are among them. Beside it: how quickly examples are
 * added in bulk, and how quickly their words come into blocks.
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
      await makePlain(database);
      return [
        rate('examples added in bulk, per second', examples, addedMs),
        rate('examples taken into blocks, per second', examples, indexedMs),
        await search(database, `${app.origin}${place.path}`, { ...place, queries: queriesOf(texts), examples }),
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
    const waiting = await database.query('select from example_additions where not is_searched');
    if (waiting.length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** As one would do it without further thought. */
async function makePlain(database: Database): Promise<void> {
  const options = { timeoutMs: manyMs };
  await database.query(
    `create table plain_examples as
       select e.dataset_id, e.id, c.content::jsonb as content, now() as created_at,
              to_tsvector('simple', regexp_replace(lower(said.text), '[^a-z0-9]+', ' ', 'g')) as search
         from examples e join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
        cross join lateral (
          select string_agg(message ->> 'content', ' ') as text
            from jsonb_array_elements(c.content::jsonb -> 'messages') message) said`,
    [],
    options,
  );
  await database.query('create index on plain_examples using gin (search)', [], options);
  await database.query('create index on plain_examples (dataset_id, id desc)', [], options);
  await database.query('vacuum analyze plain_examples', [], options);
  await database.query('vacuum analyze examples', [], options);
  await database.query('vacuum analyze example_contents', [], options);
}

function queriesOf({ word }: ExampleTexts): string[] {
  return Array.from({ length: searches }, (_, index) => (index % 2 === 0 ? word() : `${word()} ${word()}`));
}

type Search = { key: string; datasetId: string; queries: readonly string[]; examples: number };

async function search(database: Database, url: string, { key, datasetId, queries, examples }: Search): Promise<Row> {
  const times = { ours: [] as number[], plain: [] as number[] };
  for (let round = 0; round < rounds; round++)
    for (const q of queries) {
      const found = { ours: 0, plain: 0 };
      times.ours.push(
        await timed(async () => {
          const response = await fetch(`${url}?q=${encodeURIComponent(q)}`, { headers: bearer(key) });
          // as: the contract of the route.
          found.ours = ((await response.json()) as { total_count: number }).total_count;
        }),
      );
      times.plain.push(
        await timed(async () => {
          found.plain = await searchPlain(database, datasetId, q);
        }),
      );
      if (found.ours !== found.plain) throw new Error(`${q}: ${found.ours} found, and ${found.plain} in plain SQL`);
    }
  const [ours, plain] = [sorted(times.ours), sorted(times.plain)];
  const ms = (values: readonly number[], q: number) => quantile(values, q).toFixed(1);
  return {
    name: `search in ${examples} examples / plain SQL, p95`,
    ratio: quantile(ours, 0.95) / quantile(plain, 0.95),
    goal: 1,
    sense: 'at most',
    figures: `p50 ${ms(ours, 0.5)} ms (plain ${ms(plain, 0.5)}), p95 ${ms(ours, 0.95)} ms (plain ${ms(plain, 0.95)})`,
  };
}

async function searchPlain(database: Database, datasetId: string, q: string): Promise<number> {
  const matches = `dataset_id = $1 and search @@ plainto_tsquery('simple', $2)`;
  const [, [count]] = await Promise.all([
    database.query(`select * from plain_examples where ${matches} order by id desc limit 26`, [datasetId, q]),
    database.query<{ total: number }>(`select count(*)::integer as total from plain_examples where ${matches}`, [
      datasetId,
      q,
    ]),
  ]);
  return count?.total ?? 0;
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
