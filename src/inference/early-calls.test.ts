import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { grant } from '#billing';
import { putRoute } from '#models';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedAlias } from '#test/tenants.ts';
import { behind, createGate, startEngine } from './early-calls.fixture.ts';

/**
 * Calls that begin while their admission is under way, on two servers with one database. The engine is remote, so that a test
 * sees what reaches it and what is canceled; the admission is held back where a test says so.
 */
const remoteModel = 'qwen3-0.6b';
let pg: TestDatabase;
let apps: TestApp[];
let engine: Awaited<ReturnType<typeof startEngine>>;
const admissions = createGate();

before(async () => {
  pg = await createTestDatabase();
  engine = await startEngine();
  const how = { api: 'openai', secretSource: null, capacity: 64, weight: 1, draining: false } as const;
  await putRoute(pg.database, {
    ...how,
    ...{ id: 'far', url: engine.url, baseModelId: remoteModel, upstreamModel: 'chat' },
  });
  const timing = { tillIdleMs: 300 };
  apps = [
    await startApp(behind(admissions, pg.database), { timing }),
    await startApp(behind(admissions, pg.database), { timing }),
  ];
});

after(async () => {
  for (const app of apps ?? []) await app.stop();
  await engine?.stop();
  await pg?.drop();
});

beforeEach(() => {
  admissions.open();
  engine.answers = true;
});

type Caller = Awaited<ReturnType<typeof seedCaller>>;

async function seedCaller({ credits = 1_000_000n } = {}) {
  const { database } = pg;
  const [models] = apps.map((app) => app.models);
  const { accountId, slug } = await seedAccount(database);
  const { key, keyId } = await seedKey(database, { accountId });
  const { projectId, slug: project } = await seedProject(database, { accountId });
  await seedAlias(database, models ?? assert.fail(), { projectId, alias: 'chat', model: remoteModel });
  await database.transaction((tx) => grant(tx, { accountId, micro: credits * 1_000_000n, note: 'Test credits' }));
  return { accountId, key, keyId, projectId, path: `/api/projects/${slug}/${project}/openai/v1/chat/completions` };
}

type Sent = { server?: number; body?: object; headers?: Record<string, string> };

async function call(caller: Caller, { server = 0, body = {}, headers = {} }: Sent = {}) {
  const response = await fetch(`${apps[server]?.origin}${caller.path}`, {
    method: 'POST',
    headers: { ...bearer(caller.key), 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'chat', messages: [{ role: 'user', content: 'Hello!' }], max_tokens: 8, ...body }),
    signal: AbortSignal.timeout(180_000),
  });
  const told = await response.text();
  return { status: response.status, told, id: response.headers.get('x-request-id') };
}

async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > deadline) assert.fail(`It never came to this: ${what}`);
    await sleep(5);
  }
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

const ledgerOf = ({ accountId }: Caller) =>
  pg.database.query<{ request_id: string; rate: bigint; model: string; price: string }>(
    `select request_id, rate_micro_per_minute as rate, model_served as model, price_version as price
       from ledger where account_id = $1 and type = 'inference' order by created_at, id`,
    [accountId],
  );

async function balanceOf({ accountId }: Caller) {
  const rows = await pg.database.query<{ balance: bigint; held: bigint }>(
    'select balance_micro as balance, held_micro as held from accounts where id = $1',
    [accountId],
  );
  return rows[0] ?? assert.fail();
}

const change = (text: string, id: string) => pg.database.query(text, [id]);
const codeOf = (told: string): string | undefined => JSON.parse(told).error?.code;

/** Whatever was begun for a call that was not admitted leaves nothing behind. */
async function assertNothingOf(caller: Caller, { id, before }: { id: string | null; before: { balance: bigint } }) {
  await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
  assert.equal((await balanceOf(caller)).balance, before.balance);
  const left = await pg.database.query<{ n: bigint }>(
    `select (select count(*) from ledger where request_id = $1) + (select count(*) from holds where request_id = $1)
          + (select count(*) from failed_requests where id = $1) + (select count(*) from running_requests where calls ? $1) as n`,
    [id],
  );
  assert.equal(left[0]?.n, 0n);
}

for (const streams of [false, true])
  test(`a call that was admitted before begins while the database is asked, and nobody sees of it before that has answered (${streams ? 'stream' : 'JSON'})`, async () => {
    const caller = await seedCaller();
    assert.equal((await call(caller)).status, 200);
    const { answered, seen } = await begin(caller, { body: { stream: streams } });
    // The engine has answered; other requests come and go.
    for (let n = 0; n < 20; n++) await fetch(`${apps[0]?.origin}/healthz`).then((response) => response.text());
    assert.equal(seen.isAnswered, false);
    assert.equal((await ledgerOf(caller)).length, 1);
    admissions.open();
    const { status, told, id } = await answered;
    assert.equal(status, 200);
    assert.match(told, /Hi\./);
    if (streams) assert.match(told, /\[DONE\]/);
    assert.deepEqual((await ledgerOf(caller)).map((row) => row.request_id).slice(1), [id]);
  });

test('a key that was deleted is refused on every server, at once and with nothing else, and what its call began is undone', async () => {
  for (const server of [0, 1])
    for (const body of [{}, { stream: true }, { max_tokens: 'many' }, { max_tokens: 1_000_000 }]) {
      const caller = await seedCaller();
      assert.equal((await call(caller, { server })).status, 200);
      await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
      const before = await balanceOf(caller);
      engine.answers = false;
      const { got, canceled } = engine;
      await change('delete from api_keys where id = $1', caller.keyId);
      const first = await call(caller, { server, body });
      assert.deepEqual([first.status, codeOf(first.told)], [401, 'invalid_credentials']);
      await until(() => engine.canceled - canceled === engine.got - got, 'what has begun is canceled');
      const begun = engine.got;
      assert.equal((await call(caller, { server, body })).status, 401);
      assert.equal(engine.got, begun, 'once refused, nothing begins');
      await assertNothingOf(caller, { id: first.id, before });
      engine.answers = true;
    }
});

for (const [what, sql, idOf, status, code] of [
  ['its key is deleted', 'delete from api_keys where id = $1', (to: Caller) => to.keyId, 401, 'invalid_credentials'],
  [
    'its key is deactivated',
    'update api_keys set active = false where id = $1',
    (to: Caller) => to.keyId,
    ...([401, 'invalid_credentials'] as const),
  ],
  [
    'its account is suspended',
    `update accounts set status = 'suspended' where id = $1`,
    (to: Caller) => to.accountId,
    ...([403, 'account_suspended'] as const),
  ],
  [
    'its project is archived',
    'update projects set archived_at = now() where id = $1',
    (to: Caller) => to.projectId,
    ...([409, 'state_conflict'] as const),
  ],
  [
    'its alias has another name',
    `update hosted_models set alias = 'renamed' where project_id = $1`,
    (to: Caller) => to.projectId,
    ...([404, 'model_not_found'] as const),
  ],
] as const)
  for (const answers of [true, false])
    test(`when ${what}, a call that has begun is ${status} whether its engine has answered (${answers}), and leaves nothing`, async () => {
      const caller = await seedCaller();
      await call(caller);
      await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
      const [before, charged] = [await balanceOf(caller), await ledgerOf(caller)];
      engine.answers = answers;
      const { canceled } = engine;
      const { answered } = await begin(caller, { body: { stream: true } });
      await change(sql, idOf(caller));
      admissions.open();
      const { status: told, told: body, id } = await answered;
      assert.deepEqual([told, codeOf(body)], [status, code]);
      if (!answers) await until(() => engine.canceled > canceled, 'the engine is told to stop');
      assert.deepEqual(await ledgerOf(caller), charged);
      // An alias that is gone is the caller's own mistake, and told afterwards like any.
      if (status !== 404) await assertNothingOf(caller, { id, before });
    });

test('a key that is deleted while its call runs has not been used since', async () => {
  const caller = await seedCaller();
  await call(caller);
  const { answered } = await begin(caller);
  await change('update api_keys set active = false, last_used_at = null where id = $1', caller.keyId);
  admissions.open();
  assert.equal((await answered).status, 401);
  await change('update api_keys set active = true where id = $1', caller.keyId);
  const [key] = await pg.database.query<{ at: Date | null }>('select last_used_at as at from api_keys where id = $1', [
    caller.keyId,
  ]);
  assert.equal(key?.at, null);
});

test('what changed between two calls counts for the second, which begins anew and is charged once', async () => {
  for (const body of [{}, { stream: true }])
    for (const [sql, expected] of [
      ['update hosted_models set rate_micro_per_minute = 77 where project_id = $1', { rate: 77n, model: remoteModel }],
      [`update hosted_models set price_version = 'new' where project_id = $1`, { model: remoteModel, price: 'new' }],
      [
        `update hosted_models set target_id = 'fanfold-tiny-chat', base_model_id = 'fanfold-tiny-chat', revision = revision + 1
          where project_id = $1`,
        { model: 'fanfold-tiny-chat' },
      ],
      ['update projects set inference_auto_save = true where id = $1', { model: remoteModel }],
    ] as const) {
      const caller = await seedCaller();
      await call(caller);
      engine.answers = false;
      const { canceled } = engine;
      const { answered } = await begin(caller, { body });
      await change(sql, caller.projectId);
      engine.answers = true;
      admissions.open();
      const { status, told, id } = await answered;
      assert.equal(status, 200, told);
      await until(() => engine.canceled > canceled, 'what was begun is canceled');
      const rows = await ledgerOf(caller);
      assert.equal(rows.length, 2);
      const [, charged = assert.fail()] = rows;
      assert.deepEqual({ ...charged, ...expected, request_id: id }, charged);
      await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
    }
});

test('a stream whose engine breaks off before the admission has come is an ordinary error, and leaves nothing charged', async () => {
  const caller = await seedCaller();
  await call(caller);
  await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
  const [before, charged] = [await balanceOf(caller), await ledgerOf(caller)];
  engine.answers = false;
  const { answered } = await begin(caller, { body: { stream: true } });
  assert.ok((await balanceOf(caller)).held > 0n);
  engine.breakOff();
  await until(async () => (await balanceOf(caller)).held === 0n, 'the call has failed');
  admissions.open();
  const { status, told } = await answered;
  assert.deepEqual([status, codeOf(told)], [500, 'generation_failed']);
  assert.deepEqual([await balanceOf(caller), await ledgerOf(caller)], [before, charged]);
});

test('a caller with little credit has the hold of what begins anew, and nothing is held afterwards', async () => {
  const caller = await seedCaller({ credits: 10n });
  await call(caller);
  engine.answers = false;
  const { answered } = await begin(caller);
  await change('update hosted_models set revision = revision + 1 where project_id = $1', caller.projectId);
  admissions.open();
  const { got } = engine;
  await until(() => engine.got > got, 'it begins anew');
  const holds = await pg.database.query('select from holds where account_id = $1', [caller.accountId]);
  assert.equal(holds.length, 1);
  engine.finish();
  assert.equal((await answered).status, 200);
  await until(async () => (await balanceOf(caller)).held === 0n, 'nothing is held');
  assert.equal((await ledgerOf(caller)).length, 2);
});

test('while the database is away a call is 503 and leaves nothing, and the next one waits for its admission', async () => {
  const caller = await seedCaller();
  await call(caller);
  await until(async () => (await balanceOf(caller)).held === 0n, 'the till is closed');
  const before = await balanceOf(caller);
  engine.answers = false;
  const { answered } = await begin(caller);
  admissions.isAway = true;
  admissions.open();
  const { status, told, id } = await answered;
  admissions.isAway = false;
  assert.deepEqual([status, codeOf(told)], [503, 'service_unavailable']);
  await assertNothingOf(caller, { id, before });
  await assertWaits(caller, {});
});

/** Makes a call whose engine does not begin before its admission has come. */
async function assertWaits(caller: Caller, sent: Sent): Promise<void> {
  engine.answers = true;
  const { got } = engine;
  admissions.close();
  const answered = call(caller, sent);
  await until(() => admissions.waiting > 0, 'the call waits for its admission');
  for (let n = 0; n < 20; n++) await fetch(`${apps[0]?.origin}/healthz`).then((response) => response.text());
  assert.equal(engine.got, got);
  admissions.open();
  assert.equal((await answered).status, 200);
}

test('a first call, one with an Idempotency-Key, and one with limits wait for their admission', async () => {
  const caller = await seedCaller();
  await assertWaits(caller, {});
  await assertWaits(caller, { server: 1 });
  await assertWaits(caller, { headers: { 'idempotency-key': 'once' } });
  await change('update api_keys set requests_per_minute = 1000 where id = $1', caller.keyId);
  assert.equal((await call(caller)).status, 200);
  await assertWaits(caller, {});
});
