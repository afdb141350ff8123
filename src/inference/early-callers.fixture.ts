import assert from 'node:assert/strict';
import { after, beforeEach } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { grant } from '#billing';
import { putRoute } from '#models';
import { seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { fileDatabase } from '#test/file-database.ts';
import { type Asked, callModel, inTurn, type ProtocolRow, textRows } from '#test/protocols.ts';
import { seedAlias } from '#test/tenants.ts';
import { behind, createEngine, createGate } from './early-calls.fixture.ts';

export const remoteModel = 'qwen3-0.6b';

export type Caller = {
  accountId: string;
  key: string;
  keyId: string;
  projectId: string;
  slug: string;
  project: string;
};

/** Default: the first protocol of the table. */
type Sent = Asked & { server?: number; row?: ProtocolRow; headers?: Record<string, string> };

/**
 * Two servers with one database, and callers of them. The engine is remote, so that a test sees what reaches it and what is
 * canceled; admissions are held back where a test says so.
 */
export function openEarlyCalls() {
  const admissions = createGate();
  const engine = createEngine();
  const apps: TestApp[] = [];
  // Before the database, which goes after them.
  after(async () => {
    for (const app of apps) await app.stop();
    await engine.stop();
  });
  const database = fileDatabase({
    prepare: async (made) => {
      const how = { api: 'openai', secretSource: null, capacity: 64, weight: 1, draining: false } as const;
      const far = { id: 'far', url: await engine.start(), baseModelId: remoteModel, upstreamModel: 'chat' };
      await putRoute(made, { ...how, ...far });
      for (let n = 0; n < 2; n++) apps.push(await startApp(behind(admissions, made), { timing: { tillIdleMs: 300 } }));
    },
  });
  beforeEach(() => {
    admissions.open();
    engine.answers = true;
  });

  async function seedCaller({ credits = 1_000_000n } = {}): Promise<Caller> {
    const [app = assert.fail()] = apps;
    const { accountId, slug } = await seedAccount(database());
    const { key, keyId } = await seedKey(database(), { accountId });
    const { projectId, slug: project } = await seedProject(database(), { accountId });
    await seedAlias(database(), app.models, { projectId, alias: 'chat', model: remoteModel });
    await database().transaction((tx) => grant(tx, { accountId, micro: credits * 1_000_000n, note: 'Test credits' }));
    return { accountId, key, keyId, projectId, slug, project };
  }

  async function call(caller: Caller, { server = 0, row = inTurn(textRows, 0), headers = {}, ...asked }: Sent = {}) {
    const { key, slug: owner, project } = caller;
    const to = { origin: apps[server]?.origin ?? '', owner, project, key, headers };
    const response = await callModel(row, to, { model: 'chat', maxTokens: 8, ...asked });
    const told = await response.text();
    return { status: response.status, told, id: response.headers.get('x-request-id') };
  }

  /** Other requests come and go. */
  async function meddle(): Promise<void> {
    for (let n = 0; n < 20; n++) await fetch(`${apps[0]?.origin}/healthz`).then((response) => response.text());
  }

  /** Makes a call while its admission is held back, and resolves once the engine works on it. */
  async function begin(caller: Caller, sent: Sent = {}) {
    const before = engine.got;
    admissions.close();
    const seen = { isAnswered: false };
    const answered = call(caller, sent).finally(() => {
      seen.isAnswered = true;
    });
    await until(() => engine.got > before && admissions.waiting > 0, 'the engine has begun before the admission');
    return { answered, seen };
  }

  /** Makes a call whose engine does not begin before its admission has come. */
  async function assertWaits(caller: Caller, sent: Sent): Promise<void> {
    engine.answers = true;
    const { got } = engine;
    admissions.close();
    const answered = call(caller, sent);
    await until(() => admissions.waiting > 0, 'the call waits for its admission');
    await meddle();
    assert.equal(engine.got, got);
    admissions.open();
    assert.equal((await answered).status, 200);
  }

  return { database, engine, admissions, seedCaller, call, meddle, begin, assertWaits };
}

export async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) assert.fail(`It never came to this: ${what}`);
    await sleep(5);
  }
}
