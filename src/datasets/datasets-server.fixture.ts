import { createCalls, obeyIdempotencyKeys } from '#calls';
import { createTokenCounter } from '#engine';
import { createServer } from '#http';
import { createJobs } from '#jobs';
import { createCursorCodec, newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { createDatasets, type Datasets } from './datasets-room.ts';
import type { DatasetLimits } from './limits.ts';

export type DatasetsServer = { db: TestDatabase; origin: string; datasets: Datasets; stop: () => Promise<void> };

const limits: DatasetLimits = {
  maxDatasets: 100,
  maxExamplesPerDataset: 100_000,
  maxVersionsPerDataset: 100,
  maxIndexes: 10,
  maxImportBytes: 1_000_000,
  maxImportRows: 100_000,
  minTrainingExamples: 10,
};

/** A server with the routes of datasets on a database of its own; the tiny models count tokens. */
export async function startDatasetsServer(changed: Partial<DatasetLimits> = {}): Promise<DatasetsServer> {
  const db = await createTestDatabase();
  const sql = db.database;
  const usage = createKeyUsage({ sql, clock: systemClock });
  const server = createServer({ authenticator: createKeyAuthenticator({ sql, usage }), probe: async () => {} });
  const calls = createCalls({ database: sql, serverId: newId('ins'), clock: systemClock });
  obeyIdempotencyKeys(server, { database: sql, calls });
  const models = openShippedModels();
  const counting = { models: models.engineModels, environment: process.env, log: () => {} };
  const tokenCounter = createTokenCounter(counting);
  const jobs = createJobs({ url: db.url, works: false });
  const cursors = createCursorCodec(Buffer.alloc(32, 7));
  const datasets = createDatasets({
    database: sql,
    cursors,
    jobs,
    models,
    tokenCounter,
    limits: { ...limits, ...changed },
  });
  server.register(datasets.routes);
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    db,
    origin,
    datasets,
    stop: async () => {
      await server.close();
      await tokenCounter.close();
      await db.drop();
    },
  };
}

export type Asked = { status: number; json: Record<string, unknown>; text: string; headers: Headers };

/** An account with a project, and what it asks about it; paths begin behind the project. */
export async function someoneOn({ db, origin }: DatasetsServer, kind: 'text' | 'embedding' = 'text') {
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  const { projectId, slug: project } = await seedProject(db.database, { accountId, kind });
  const root = `/api/v1/projects/${slug}/${project}`;
  const ask = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Asked> => {
    const response = await fetch(`${origin}${path.startsWith('/api/') ? path : `${root}${path}`}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return { status: response.status, json: isJson ? JSON.parse(text) : {}, text, headers: response.headers };
  };
  const createDataset = async (body: object = { name: 'Lamps' }): Promise<string> => {
    const { json } = await ask('POST', '/datasets', body);
    return String(json.id);
  };
  return { accountId, projectId, root, headers: bearer(key), ask, createDataset };
}

/** A conversation as it is sent. */
export const conversation = (question: string, answer = 'Yes.') => ({
  text: {
    messages: [
      { role: 'user', content: question },
      { role: 'assistant', content: answer },
    ],
  },
});
