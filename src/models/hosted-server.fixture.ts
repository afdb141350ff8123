import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { grant } from '#billing';
import { microPerCredit } from '#kernel';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp, type TestAppOptions } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import type { HostedWire } from './hosted-wire.ts';

/** The wired program with a database of its own, and accounts that speak HTTP to it. */
export type HostedServer = {
  db: TestDatabase;
  app: TestApp;
  /** An account with a key and credits. */
  account: () => Promise<Caller>;
  stop: () => Promise<void>;
};

export type HostedAnswer = { status: number; body: Record<string, unknown>; headers: Headers };

export type Caller = {
  accountId: string;
  slug: string;
  key: string;
  /** Asks a path from `/api` on. */
  ask: (method: string, path: string, body?: unknown) => Promise<HostedAnswer>;
  /** A project of the caller. */
  project: (options?: ProjectOptions) => Promise<Project>;
};

type ProjectOptions = { kind?: 'text' | 'embedding'; visibility?: 'private' | 'public' };

export type Project = {
  projectId: string;
  slug: string;
  owner: string;
  /** `/api/v1/projects/{owner}/{project}/hosted-models` */
  path: string;
  /** `/api/projects/{owner}/{project}/openai/v1` */
  compat: string;
  create: (body: object) => Promise<HostedWire>;
};

export async function startHostedServer(options: TestAppOptions = {}): Promise<HostedServer> {
  const db = await createTestDatabase();
  const app = await startApp(db.database, options);
  return {
    db,
    app,
    account: () => createCaller({ db, app }),
    stop: async () => {
      await app.stop();
      await db.drop();
    },
  };
}

type Parts = Pick<HostedServer, 'db' | 'app'>;

async function createCaller({ db, app }: Parts): Promise<Caller> {
  const { accountId, slug } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  await db.database.transaction((tx) => grant(tx, { accountId, micro: 1000n * microPerCredit, note: 'Test credits' }));
  const ask = askAs(app.origin, key);
  return {
    accountId,
    slug,
    key,
    ask,
    project: async ({ kind = 'text', visibility = 'private' } = {}) => {
      const { projectId, slug: project } = await seedProject(db.database, { accountId, kind, visibility });
      const path = `/api/v1/projects/${slug}/${project}/hosted-models`;
      return {
        projectId,
        path,
        slug: project,
        owner: slug,
        compat: `/api/projects/${slug}/${project}/openai/v1`,
        create: async (body) => {
          const { status, body: made } = await ask('POST', path, body);
          assert.equal(status, 201, JSON.stringify(made));
          return hostedIn(made);
        },
      };
    },
  };
}

export function askAs(origin: string, key: string): Caller['ask'] {
  return async (method, path, body) => {
    const response = await fetch(origin + path, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    const text = await response.text();
    const { status, headers } = response;
    // as: every answer of this API with a body is an object.
    return { status, headers, body: text === '' ? {} : (JSON.parse(text) as HostedAnswer['body']) };
  };
}

/** as: the shape that the contract promises; `hosted-models.routes.test.ts` checks it against the schema. */
export const hostedIn = (body: HostedAnswer['body']) => body as unknown as HostedWire;

export const tinyChat = { type: 'base_model', id: 'fanfold-tiny-chat' };
export const tinyEmbed = { type: 'base_model', id: 'fanfold-tiny-embed' };

/** `error.code` and `error.param` of a refusal, after its status. */
export function refusalOf({ status, body }: HostedAnswer): (string | number | null)[] {
  // as: the error envelope.
  const error = body.error as { code: string; param: string | null } | undefined;
  return [status, error?.code ?? null, error?.param ?? null];
}

/** Asks for the model until it is in a state. */
export async function untilState(
  { ask }: Pick<Caller, 'ask'>,
  { path }: Pick<Project, 'path'>,
  { id, state, limitMs = 120_000 }: { id: string; state: HostedWire['state']; limitMs?: number },
): Promise<HostedWire> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const model = hostedIn((await ask('GET', `${path}/${id}`)).body);
    if (model.state === state) return model;
    assert.ok(performance.now() < deadline, `It is ${model.state} after ${limitMs} ms: ${JSON.stringify(model.error)}`);
    await sleep(50);
  }
}
