import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createServer } from '#http';
import { createCursorCodec, newId, systemClock } from '#kernel';
import { createKeyAuthenticator, createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { beginCall, chargeAll, chargeFor, type TestCharge } from '#test/money.ts';
import { grant } from '../grants.ts';
import { createUsageSums } from '../usage/summing.ts';
import { creditsRoutes } from './credits.routes.ts';

await awayFromMidnight();

const lowMicro = 1_000_000n;
let db: TestDatabase;
let server: ReturnType<typeof createServer>;
let origin = '';

before(async () => {
  db = await createTestDatabase();
  const sql = db.database;
  const usage = createKeyUsage({ sql, clock: systemClock });
  server = createServer({ authenticator: createKeyAuthenticator({ sql, usage }), probe: async () => {} });
  const cursors = createCursorCodec(Buffer.alloc(32, 7));
  server.register(creditsRoutes({ sql, cursors, clock: systemClock, lowMicro }));
  origin = await server.listen({ host: '127.0.0.1', port: 0 });
});

after(async () => {
  await server.close();
  await db.drop();
});

/** An account with a project, and ways to ask as it and to charge it. */
async function someone() {
  const { accountId, slug } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId, name: 'laptop' });
  const { projectId, slug: project } = await seedProject(db.database, { accountId });
  const ask = async (path: string) => {
    const response = await fetch(`${origin}/api/v1/credits${path}`, { headers: bearer(key) });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const charge = async (change: Partial<TestCharge> = {}) => {
    const plain = chargeFor(accountId, { units: 1, rate: 30_000n });
    const paid = { ...plain, keyId, keyName: 'laptop', projectId, ...change };
    await chargeAll(db.database, [paid]);
    return paid.requestId;
  };
  return { accountId, slug, keyId, projectId, project, ask, charge };
}

const sumUp = () => createUsageSums({ database: db.database, lowMicro }).catchUp();

test('the balance adds up: settled, reserved and available, and what came and went since the beginning', async () => {
  const { accountId, ask, charge } = await someone();
  const zero = '0.000000';
  const { as_of, ...fresh } = (await ask('')).json;
  assert.match(as_of, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.deepEqual(fresh, {
    settled: zero,
    reserved: zero,
    available: zero,
    lifetime: { granted: zero, purchased: zero, spent: zero },
    low_balance: true,
  });
  await grant(db.database, { accountId, micro: 1_000_050n, note: null });
  await charge();
  await beginCall(db.database, { requestId: newId('req'), accountId, heldMicro: 7n }, newId('ins'));
  for (const look of ['before it is summed up', 'and after']) {
    const { settled, reserved, available, lifetime, low_balance } = (await ask('')).json;
    assert.deepEqual([settled, reserved, available, low_balance], ['1.000000', '0.000007', '0.999993', false], look);
    assert.deepEqual(lifetime, { granted: '1.000050', purchased: zero, spent: '0.000050' });
    await sumUp();
  }
  await charge();
  assert.equal((await ask('')).json.low_balance, true);
});

test('a row of the ledger says what was charged, for what, at which rate, and with which key', async () => {
  const { accountId, slug, keyId, project, ask, charge } = await someone();
  await grant(db.database, { accountId, micro: 1_000_000n, note: 'Welcome' });
  const requestId = await charge({ activeMs: 412.4, outcome: 'client_disconnected' });
  const { json } = await ask('/usage');
  const [call, granted] = json.data;
  const { id, created_at, ...rest } = call;
  assert.match(id, /^led_[0-9A-Z]{26}$/);
  assert.match(created_at, /Z$/);
  assert.deepEqual(rest, {
    type: 'inference',
    credits: '-0.000250',
    balance_after: '0.999750',
    project: { owner: slug, slug: project },
    model_requested: 'chat',
    model_served: 'fanfold-tiny-chat',
    model_revision: 1,
    request_id: requestId,
    training_job_id: null,
    attempt: null,
    key: { id: keyId, name: 'laptop' },
    active_ms: 412,
    units: 5,
    rate: '0.030000',
    price_version: '2026-01',
    prompt_tokens: 3,
    completion_tokens: 5,
    outcome: 'client_disconnected',
    note: null,
  });
  assert.deepEqual(
    [granted.type, granted.credits, granted.note, granted.key, granted.active_ms, granted.rate],
    ['grant', '1.000000', 'Welcome', null, null, null],
  );
  assert.deepEqual([json.next_cursor, json.total_count], [null, 2]);
  assert.deepEqual(json.totals, { credits: '0.999750', active_ms: 412, requests: 1 });
});

test('pages walk through the ledger once, whatever is summed up or written meanwhile', async () => {
  const { accountId, ask, charge } = await someone();
  await grant(db.database, { accountId, micro: 1_000_000n, note: null });
  for (let i = 0; i < 20; i++) await charge();
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { json } = await ask(`/usage?limit=4${cursor && `&cursor=${cursor}`}`);
    seen.push(...json.data.map((row: { id: string }) => row.id));
    cursor = json.next_cursor;
    await charge();
    await sumUp();
  }
  const all = await db.database.query<{ id: string }>('select id from ledger where account_id = $1 order by seq', [
    accountId,
  ]);
  assert.deepEqual(
    seen.toReversed(),
    all.slice(0, 21).map(({ id }) => id),
  );
});

test('filters narrow rows and totals alike, alone and together', async () => {
  const mine = await someone();
  const { accountId, slug, keyId, project, projectId, ask, charge } = mine;
  await grant(db.database, { accountId, micro: 1_000_000n, note: null });
  const { projectId: other, slug: otherSlug } = await seedProject(db.database, { accountId });
  await charge();
  await charge({ modelRequested: 'bot' });
  await charge({ projectId: other, keyId: 'key_other' });
  const path = `${slug}/${project}`;
  for (const look of ['before it is summed up', 'and after']) {
    for (const [query, rows, credits, requests] of [
      ['', 4, '0.999850', 3],
      [`?project=${path}`, 2, '-0.000100', 2],
      [`?project=${slug}/${otherSlug}`, 1, '-0.000050', 1],
      [`?project=${path}&model=bot`, 1, '-0.000050', 1],
      [`?project=${path}&key_id=key_other`, 0, '0.000000', 0],
      ['?model=chat', 2, '-0.000100', 2],
      [`?key_id=${keyId}`, 2, '-0.000100', 2],
      ['?type=grant', 1, '1.000000', 0],
      ['?type=training', 0, '0.000000', 0],
      ['?type=inference&from=2020-01-01T00:00:00Z', 3, '-0.000150', 3],
      ['?to=2020-01-01T00:00:00Z', 0, '0.000000', 0],
      ['?from=0000-01-01T00:00:00Z&to=9999-01-01T00:00:00Z', 4, '0.999850', 3],
      ['?to=9999-12-31T23:59:59.999-14:00', 4, '0.999850', 3],
      ['?from=9999-12-31T23:59:59Z', 0, '0.000000', 0],
      ['?project=nobody/nothing', 0, '0.000000', 0],
      ['?model=nothing', 0, '0.000000', 0],
    ] as const) {
      const { json } = await ask(`/usage${query}`);
      assert.deepEqual(
        [json.data?.length, json.total_count, json.totals?.credits, json.totals?.requests],
        [rows, rows, credits, requests],
        `${query} ${look}`,
      );
    }
    await sumUp();
  }
  assert.notEqual(projectId, other);
});

test('a summary tells what was spent by day, project, model, key or type, and leaves grants out', async () => {
  const { accountId, slug, keyId, project, ask, charge } = await someone();
  await grant(db.database, { accountId, micro: 1_000_000n, note: null });
  await charge();
  await charge({ activeMs: 100 });
  await charge({ modelRequested: 'bot', activeMs: 250, keyId: null, keyName: null });
  const today = new Date().toISOString().slice(0, 10);
  const group = (value: string | null, label: string | null, requests: number, active_ms: number, credits: string) => ({
    group: value,
    label,
    requests,
    active_ms,
    credits,
  });
  for (const look of ['before it is summed up', 'and after']) {
    const sums = async (by: string) => (await ask(`/usage/summary?group_by=${by}`)).json;
    assert.deepEqual((await sums('day')).data, [group(today, today, 3, 450, '0.000250')], look);
    assert.deepEqual((await sums('type')).data, [group('inference', 'inference', 3, 450, '0.000250')]);
    const path = `${slug}/${project}`;
    assert.deepEqual((await sums('project')).data, [group(path, path, 3, 450, '0.000250')]);
    assert.deepEqual((await sums('model')).data, [
      group('bot', 'bot', 1, 250, '0.000150'),
      group('chat', 'chat', 2, 200, '0.000100'),
    ]);
    const byKey = await sums('key');
    assert.deepEqual(byKey.data, [group(null, null, 1, 250, '0.000150'), group(keyId, 'laptop', 2, 200, '0.000100')]);
    assert.deepEqual([byKey.groups, byKey.totals], [2, { requests: 3, active_ms: 450, credits: '0.000250' }]);
    const first = (await ask('/usage/summary?group_by=model&limit=1')).json;
    assert.deepEqual([first.data.length, first.groups, first.totals.requests], [1, 2, 3]);
    const past = (await ask('/usage/summary?group_by=day&from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z')).json;
    assert.deepEqual([past.data, past.totals.requests], [[], 0]);
    assert.deepEqual([past.from, past.to], ['2020-01-01T00:00:00.000Z', '2020-02-01T00:00:00.000Z']);
    await sumUp();
  }
});

test('a bad filter is refused and named', async () => {
  const { ask } = await someone();
  for (const [query, param] of [
    ['/usage?from=yesterday', 'from'],
    ['/usage?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['/usage?project=alone', 'project'],
    ['/usage?type=theft', 'type'],
    ['/usage?model=', 'model'],
    ['/usage?limit=0', 'limit'],
    ['/usage/summary', 'group_by'],
    ['/usage/summary?group_by=hour', 'group_by'],
    ['/usage/summary?group_by=key&limit=1001', 'limit'],
    ['/usage/summary?group_by=day&from=2024-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'from'],
  ]) {
    const { status, json } = await ask(query ?? '');
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_request', param], query);
  }
});

test('a cursor is worth nothing under another filter or for another account, and nobody sees the ledger of others', async () => {
  const [mine, other] = [await someone(), await someone()];
  for (const { accountId, charge } of [mine, other]) {
    await grant(db.database, { accountId, micro: 1_000_000n, note: null });
    await charge();
  }
  const cursor: string = (await mine.ask('/usage?limit=1')).json.next_cursor;
  assert.equal((await mine.ask(`/usage?limit=2&cursor=${cursor}`)).status, 200);
  const from = '2020-01-01T00:00:00Z';
  for (const answer of [
    await mine.ask(`/usage?type=grant&cursor=${cursor}`),
    await mine.ask(`/usage?from=${from}&cursor=${cursor}`),
    await mine.ask(`/usage?to=${from}&cursor=${cursor}`),
    await mine.ask(`/usage?model=chat&cursor=${cursor}`),
    await mine.ask(`/usage?key_id=chat&cursor=${cursor}`),
    await mine.ask(`/usage?cursor=x${cursor}`),
    await other.ask(`/usage?cursor=${cursor}`),
  ])
    assert.deepEqual([answer.status, answer.json.error.code], [400, 'invalid_cursor']);
  for (const query of [`?key_id=${other.keyId}`, `?project=${other.slug}/${other.project}`]) {
    const { json } = await mine.ask(`/usage${query}`);
    assert.deepEqual([json.data, json.total_count], [[], 0]);
  }
});

test("somebody else's project appears in the ledger of the account that called it", async () => {
  const [mine, owner] = [await someone(), await someone()];
  await grant(db.database, { accountId: mine.accountId, micro: 1_000_000n, note: null });
  await mine.charge({ projectId: owner.projectId });
  const { json } = await mine.ask(`/usage?project=${owner.slug}/${owner.project}`);
  assert.deepEqual(json.data[0].project, { owner: owner.slug, slug: owner.project });
  assert.deepEqual((await owner.ask('/usage')).json.data, []);
});
