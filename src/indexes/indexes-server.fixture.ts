import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { grant } from '#billing';
import { createCalls, obeyIdempotencyKeys } from '#calls';
import { createDatasets, type DatasetLimits } from '#datasets';
import { createEngine, createTokenCounter, type Engine } from '#engine';
import { createServer } from '#http';
import { createJobs } from '#jobs';
import { createCursorCodec, newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import type { TrainedModel } from '#models';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import type { IndexedModels } from './create-index.ts';
import { createIndexes } from './indexes-room.ts';

const limits: DatasetLimits = {
  maxDatasets: 100,
  maxExamplesPerDataset: 100_000,
  maxVersionsPerDataset: 100,
  maxIndexes: 6,
  maxImportBytes: 1_000_000,
  maxImportRows: 100_000,
  minTrainingExamples: 10,
};

export type IndexesServer = Awaited<ReturnType<typeof startIndexesServer>>;

export type IndexesServerOptions = {
  /** Finished training jobs, by id. */
  trained?: Map<string, TrainedModel>;
  /** Stands between the room and the real engine. */
  wrap?: (engine: Engine) => Engine;
  /** False: builds run only when the test runs them. */
  builds?: boolean;
};

/** The room on a database of its own, with the real tiny model. */
export async function startIndexesServer(given: IndexesServerOptions = {}) {
  const { wrap = (engine) => engine, builds = true, trained = new Map<string, TrainedModel>() } = given;
  const db = await createTestDatabase();
  const database = db.database;
  const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-indexes-'));
  const models = openShippedModels();
  const forChildren = { models: models.engineModels, environment: process.env, log: () => {} };
  const real = createEngine({ ...forChildren, settings: { threads: 1 } });
  const engine = wrap(real);
  const tokenCounter = createTokenCounter(forChildren);
  const jobs = createJobs({ url: db.url, works: builds });
  const cursors = createCursorCodec(Buffer.alloc(32, 7));
  const calls = createCalls({ database, serverId: newId('ins'), clock: systemClock });
  const datasets = createDatasets({ database, cursors, jobs, models, tokenCounter, limits });
  const trainedModels: IndexedModels = {
    find: async (ids) => new Map([...trained].filter(([id]) => ids.includes(id))),
    ofAccount: async ({ requested }) => trained.get(requested.replace('training-job#', '')) ?? null,
  };
  const options = {
    database,
    cursors,
    clock: systemClock,
    jobs,
    models,
    engine,
    calls,
    datasets,
    folder,
    trainedModels,
    environment: process.env,
    maxFileBytes: 1e9,
    maxDocuments: 1_000,
  };
  const indexes = createIndexes(options);
  const usage = createKeyUsage({ sql: database, clock: systemClock });
  const server = createServer({
    authenticator: createKeyAuthenticator({ sql: database, usage }),
    probe: async () => {},
  });
  obeyIdempotencyKeys(server, { database, calls });
  server.register(datasets.routes);
  server.register(indexes.routes);
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  calls.start();
  await jobs.start();
  await indexes.start();
  return {
    db,
    origin,
    engine: real,
    options,
    indexes,
    stop: async () => {
      await server.close();
      await jobs.stop(1_000);
      indexes.stop();
      await calls.stop();
      await real.close();
      await tokenCounter.close();
      await db.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Asked = { status: number; json: Record<string, unknown>; headers: Headers };

/** What a test says of an example: its query, what it should find, what it should not. */
export type Said = { query: string; positives: (string | Passage)[]; negatives?: (string | Passage)[]; split?: string };
type Passage = { text: string; document_id: string | null };

/** An account with credits and an embedding project, and what it asks; paths begin behind the project. */
export async function someoneOn(
  { db, origin }: IndexesServer,
  { micro = 100_000_000n, kind = 'embedding' }: { micro?: bigint; kind?: 'text' | 'embedding' } = {},
) {
  const { accountId, slug } = await seedAccount(db.database);
  if (micro > 0n) await db.database.transaction((tx) => grant(tx, { accountId, micro, note: null }));
  const { key, keyId } = await seedKey(db.database, { accountId });
  const { projectId, slug: project } = await seedProject(db.database, { accountId, kind });
  const root = `/api/v1/projects/${slug}/${project}`;
  const ask = async (method: string, where: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${origin}${root}${where}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: response.status, json, headers: response.headers } satisfies Asked;
  };
  const add = async (datasetId: string, examples: readonly Said[]) => {
    const sent = examples.map(({ split = 'train', ...embedding }) => ({ embedding, split }));
    const { json } = await ask('POST', `/datasets/${datasetId}/examples`, { examples: sent });
    return (json.results as { id: string }[]).map(({ id }) => id);
  };
  const freeze = async (datasetId: string) =>
    String((await ask('POST', `/datasets/${datasetId}/versions`, {})).json.id);
  /** A dataset with these examples, and a version of it. */
  const versionWith = async (examples: readonly Said[]) => {
    const datasetId = String((await ask('POST', '/datasets', { name: 'Searches' })).json.id);
    const exampleIds = examples.length > 0 ? await add(datasetId, examples) : [];
    return { datasetId, exampleIds, versionId: await freeze(datasetId) };
  };
  const until = async (indexId: string, states: readonly string[]) => {
    const deadline = performance.now() + 180_000;
    for (;;) {
      const { json } = await ask('GET', `/dataset-indexes/${indexId}`);
      if (states.includes(String(json.state))) return json;
      assert.ok(performance.now() < deadline, JSON.stringify(json));
      await sleep(50);
    }
  };
  /** A finished index over a version. */
  const build = async (versionId: string, model = 'fanfold-tiny-embed') => {
    const made = await ask('POST', '/dataset-indexes', { version_id: versionId, model });
    assert.equal(made.status, 201, JSON.stringify(made.json));
    return until(String(made.json.id), ['ready', 'failed', 'canceled', 'stale']);
  };
  return { accountId, projectId, keyId, root, ask, add, freeze, versionWith, until, build };
}

export type LedgerRow = { type: string; micro: bigint; outcome: string; active_ms: number; request_id: string };

/** What an account was charged, in order. */
export function chargesOf({ db }: IndexesServer, accountId: string): Promise<LedgerRow[]> {
  return db.database.query<LedgerRow>(
    `select type, micro, outcome, active_ms, request_id from ledger where account_id = $1 and type <> 'grant' order by seq`,
    [accountId],
  );
}

/** What the engine of the server makes of texts, asked directly. */
export async function embedDirectly(
  { engine }: Pick<IndexesServer, 'engine'>,
  texts: readonly string[],
): Promise<Float32Array[]> {
  const signal = new AbortController().signal;
  const target = { baseModelId: 'fanfold-tiny-embed', adapter: null };
  const { handle } = await engine.prepareEmbedding(
    { target, texts: [...texts], maxInputTokens: 512, truncate: true },
    signal,
  );
  return (await engine.embed({ handle, signal })).vectors;
}

/** Questions and answers of a shop, each answer with two questions. */
export function shop(products: number): Said[] {
  const things = ['lamp', 'kettle', 'printer', 'camera', 'heater', 'ladder', 'router', 'charger', 'screen', 'battery'];
  return Array.from({ length: products }, (_, at) => {
    const thing = `${things[at % things.length]} ${at}`;
    const passage = { text: `The ${thing} has a warranty of ${at + 1} years.`, document_id: `doc-${at}` };
    const other = `The ${thing} weighs ${at + 2} kilograms.`;
    return [
      { query: `How long is the warranty of the ${thing}?`, positives: [passage], negatives: [other], split: 'test' },
      { query: `Which guarantee does the ${thing} have?`, positives: [passage] },
    ];
  }).flat();
}
