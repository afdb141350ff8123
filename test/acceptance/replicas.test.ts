import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '#db';
import { createTestDatabase, dropDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, patiently, startProgram } from '#test/program.ts';
import { callModel, inTurn, protocolRows } from '#test/protocols.ts';

/** Two whole programs on one database, started at the same moment while it was still empty. */
let server: TestDatabase;
let database: Database;
let programs: [Program, Program];
let firstKey: string;

before(async () => {
  server = await createTestDatabase();
  const name = `test_${randomBytes(8).toString('hex')}`;
  await server.database.query(`create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const databaseUrl = url.href;
  programs = await Promise.all([startProgram({ databaseUrl }), startProgram({ databaseUrl })]);
  database = await openDatabase({ url: databaseUrl, maxConnections: 2 });
  firstKey = programs.find(({ key }) => key !== null)?.key ?? '';
});

after(async () => {
  await Promise.all((programs ?? []).map((program) => program.stop()));
  await database?.close();
  if (database) await dropDatabase(server.database, new URL(database.url).pathname.slice(1));
  await server?.drop();
});

type Answer = { status: number; body: Record<string, unknown> & { data?: { id: string }[]; next_cursor?: string } };

async function call(program: Program, method: string, path: string, key: string, body?: unknown): Promise<Answer> {
  const response = await patiently(() =>
    fetch(program.url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(180_000),
    }),
  );
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : JSON.parse(text) };
}

const compat = '/api/projects/local/chat/openai/v1';
const listModels = (program: Program, key: string) => call(program, 'GET', `${compat}/models`, key);

/** A call of a model, in the protocols by turns. */
async function callOnce(program: Program, key: string, n = 0): Promise<{ status: number }> {
  const caller = { origin: program.url, owner: 'local', key };
  const response = await patiently(() => callModel(inTurn(protocolRows, n), caller, { maxTokens: 1 }));
  await response.text();
  return response;
}

async function createKey(program: Program): Promise<{ id: string; key: string }> {
  const { status, body } = await call(program, 'POST', '/api/v1/keys', firstKey, { name: 'Replicas' });
  assert.equal(status, 201);
  return { id: String(body['id']), key: String(body['key']) };
}

const replicas = (round: number): [changing: Program, serving: Program] =>
  round % 2 === 0 ? [programs[0], programs[1]] : [programs[1], programs[0]];

test('a simultaneous first start of two makes one account, one set of projects, one grant and one key', async () => {
  const shown = programs.filter(({ key }) => key !== null);
  assert.equal(shown.length, 1, 'one of the two shows the key');
  const [counts] = await database.query<Record<string, bigint>>(
    `select (select count(*) from accounts) as accounts, (select count(*) from projects) as projects,
            (select count(*) from hosted_models) as models, (select count(*) from ledger) as ledger,
            (select count(*) from api_keys) as keys`,
  );
  assert.deepEqual({ ...counts }, { accounts: 1n, projects: 2n, models: 2n, ledger: 1n, keys: 1n });
  for (const program of programs) {
    assert.equal((await listModels(program, firstKey)).status, 200);
    for (const n of protocolRows.keys()) assert.equal((await callOnce(program, firstKey, n)).status, 200);
  }
});

type Seen = { startedMs: number; status: number; isCall: boolean };

/** Clients that call a replica with a key without pause: some list models, one calls one, in every protocol by turns. */
function hammer(program: () => Program, key: string) {
  const seen: Seen[] = [];
  const stop = new AbortController();
  const client = async (isCall: boolean) => {
    for (let n = 0; !stop.signal.aborted; n++) {
      const startedMs = performance.now();
      const { status } = await (isCall ? callOnce(program(), key, n) : listModels(program(), key));
      seen.push({ startedMs, status, isCall });
    }
  };
  const clients = [client(true), client(false), client(false), client(false)];
  return {
    seen,
    /** Statuses of calls that started after this moment: a few of them, a call of a model included when that was waited for. */
    async startedFromNow(withCall: boolean): Promise<number[]> {
      const nowMs = performance.now();
      const deadlineMs = nowMs + 120_000;
      for (;;) {
        const late = seen.filter(({ startedMs }) => startedMs > nowMs);
        const isEnough = late.length >= 4 && (!withCall || late.some(({ isCall }) => isCall));
        if (isEnough || performance.now() > deadlineMs) return late.map(({ status }) => status);
        await sleep(1);
      }
    },
    stop: async () => {
      stop.abort();
      await Promise.all(clients);
    },
  };
}

const all = (statuses: readonly number[], wanted: number) =>
  statuses.length >= 4 && statuses.every((status) => status === wanted);

test('a key that was switched off through one program is refused by the other for every call that starts after the answer', async (t) => {
  const rounds = 100;
  const { id, key } = await createKey(programs[0]);
  let serving = programs[1];
  const clients = hammer(() => serving, key);
  const chargedBefore = await chargesOf(id);
  let checked = 0;
  for (let round = 0; round < rounds; round++) {
    const [changing, other] = replicas(round);
    serving = other;
    const withCall = round % 5 === 0;
    assert.equal((await call(changing, 'PATCH', `/api/v1/keys/${id}/deactivate`, firstKey)).status, 200);
    const dead = await clients.startedFromNow(withCall);
    assert.ok(all(dead, 401), `round ${round}: ${dead}`);
    assert.equal((await call(changing, 'PATCH', `/api/v1/keys/${id}/activate`, firstKey)).status, 200);
    const alive = await clients.startedFromNow(withCall);
    assert.ok(all(alive, 200), `round ${round}: ${alive}`);
    checked += dead.length;
  }
  await clients.stop();
  t.diagnostic(`${checked} calls after ${rounds} deactivations, all refused`);
  const served = clients.seen.filter(({ isCall, status }) => isCall && status === 200).length;
  assert.equal((await chargesOf(id)) - chargedBefore, served, 'refused calls cost nothing, served ones once');
});

async function chargesOf(keyId: string): Promise<number> {
  const rows = await database.query("select 1 from ledger where type = 'inference' and key_id = $1", [keyId]);
  return rows.length;
}

test('a key works on both programs as soon as it is made, and on neither as soon as it is deleted', async () => {
  for (let round = 0; round < 30; round++) {
    const [changing, other] = replicas(round);
    const { id, key } = await createKey(changing);
    assert.equal((await listModels(other, key)).status, 200);
    const clients = hammer(() => other, key);
    const before = await clients.startedFromNow(false);
    assert.ok(all(before, 200), `${before}`);
    assert.equal((await call(changing, 'DELETE', `/api/v1/keys/${id}`, firstKey)).status, 204);
    const late = await clients.startedFromNow(false);
    await clients.stop();
    assert.ok(all(late, 401), `round ${round}: ${late}`);
    assert.equal((await listModels(changing, key)).status, 401);
  }
});

test('a list that was begun on one program goes on with the cursor on the other', async () => {
  const made = await Promise.all(Array.from({ length: 7 }, (_, n) => createKey(programs[n % 2 === 0 ? 0 : 1])));
  const whole = await call(programs[0], 'GET', '/api/v1/keys?limit=100', firstKey);
  const ids: string[] = [];
  let cursor = '';
  for (let page = 0; page < 50; page++) {
    const { status, body } = await call(replicas(page)[0], 'GET', `/api/v1/keys?limit=2${cursor}`, firstKey);
    assert.equal(status, 200);
    ids.push(...(body.data ?? []).map(({ id }) => id));
    if (!body.next_cursor) break;
    cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  assert.deepEqual(
    ids,
    whole.body.data?.map(({ id }) => id),
  );
  assert.ok(made.every(({ id }) => ids.includes(id)));
});
