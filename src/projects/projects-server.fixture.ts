import { createCalls, obeyIdempotencyKeys } from '#calls';
import { createPublicUrl, createServer } from '#http';
import { createCursorCodec, newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { projectsRoutes } from './projects.routes.ts';
import type { ProjectWire } from './projects.schema.ts';
import type { RunningWork } from './running-work.ts';

export type ProjectAnswer = { status: number; json: Record<string, unknown> & { error?: Record<string, unknown> } };
export type ProjectsServer = { db: TestDatabase; origin: string; stop: () => Promise<void> };

/** A server with the routes of projects on a database of its own. */
export async function startProjectsServer(
  options: { work?: readonly RunningWork[]; publicUrl?: string } = {},
): Promise<ProjectsServer> {
  const db = await createTestDatabase();
  const sql = db.database;
  const usage = createKeyUsage({ sql, clock: systemClock });
  const server = createServer({ authenticator: createKeyAuthenticator({ sql, usage }), probe: async () => {} });
  const calls = createCalls({ database: sql, serverId: newId('ins'), clock: systemClock });
  obeyIdempotencyKeys(server, { database: sql, calls });
  server.register(
    projectsRoutes({
      database: sql,
      cursors: createCursorCodec(Buffer.alloc(32, 7)),
      publicUrl: createPublicUrl(options.publicUrl ?? null),
      work: options.work ?? [],
    }),
  );
  const origin = await server.listen({ host: '127.0.0.1', port: 0 });
  return {
    db,
    origin,
    stop: async () => {
      await server.close();
      await db.drop();
    },
  };
}

/** An account and what it asks. */
export type Someone = Awaited<ReturnType<typeof someoneOn>>;

export async function someoneOn({ db, origin }: ProjectsServer) {
  const { accountId, slug } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId });
  const ask = async (
    method: string,
    path = '',
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ProjectAnswer> => {
    const response = await fetch(`${origin}/api/v1/projects${path}`, {
      method,
      headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    });
    // as: every answer of these routes is an object.
    const text = await response.text();
    return { status: response.status, json: JSON.parse(text || '{}') as ProjectAnswer['json'] };
  };
  const make = async (body: Record<string, unknown>): Promise<ProjectWire> => {
    const { status, json } = await ask('POST', '', { kind: 'text', ...body });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(json)}`);
    // as: the answer of a creation, whose shape a test of its own proves.
    return json as unknown as ProjectWire;
  };
  return { accountId, slug, keyId, ask, make };
}

/** Lets somebody call a hosted model of a project. Gives the id of the share. */
export async function shareModelOf(
  { db }: ProjectsServer,
  share: { projectId: string; accountId: string; expiresAt?: Date },
): Promise<string> {
  const [hostedModelId, shareId] = [newId('hm'), newId('shr')];
  await db.database.query(
    `insert into hosted_models (id, project_id, alias, display_name, target_type, target_id, base_model_id, visibility,
                                state, rate_micro_per_minute, price_version, search_text)
     values ($1, $2, $3, 'Model', 'base_model', 'fanfold-tiny-chat', 'fanfold-tiny-chat', 'shared', 'active', 0, 'test', '')`,
    [hostedModelId, share.projectId, hostedModelId.slice(3).toLowerCase()],
  );
  await db.database.query(
    'insert into model_shares (id, hosted_model_id, project_id, account_id, expires_at) values ($1, $2, $3, $4, $5)',
    [shareId, hostedModelId, share.projectId, share.accountId, share.expiresAt ?? null],
  );
  return shareId;
}

export type ToldRow = { type: string; actor: string; data: Record<string, unknown>; request: string | null };

/** What the feed of an account tells of projects, oldest first. */
export async function toldTo({ db }: ProjectsServer, accountId: string): Promise<ToldRow[]> {
  return db.database.query<ToldRow>(
    `select type, actor_id as actor, data, request_id as request from activity
      where account_id = $1 and type like 'project.%' order by created_at, id`,
    [accountId],
  );
}
