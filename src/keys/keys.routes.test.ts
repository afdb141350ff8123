import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { startNativeServer } from '#test/native-server.ts';

let db: TestDatabase;
let server: Awaited<ReturnType<typeof startNativeServer>>;

before(async () => {
  db = await createTestDatabase();
  server = await startNativeServer(db.database);
});

after(async () => {
  await server.stop();
  await db.drop();
});

/** An account with one key, and a way to ask as it. */
async function someone() {
  const { accountId } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId, name: 'first' });
  const ask = async (method: string, path = '', body?: unknown, as = key) => {
    const response = await fetch(`${server.origin}/api/v1/keys${path}`, {
      method,
      headers: { ...bearer(as), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: text === '' ? null : JSON.parse(text) };
  };
  return { accountId, key, keyId, ask };
}

test('creation shows the key once; the list shows it only masked', async () => {
  const { ask } = await someone();
  const made = await ask('POST', '', { name: 'Küche 🔑' });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('cache-control'), 'no-store');
  const { key, ...row } = made.json;
  assert.match(key, /^fnf_[0-9A-Za-z]{49}$/);
  assert.deepEqual(Object.keys(row), ['id', 'name', 'masked_key', 'active', 'created_at', 'last_used_at', 'limits']);
  assert.deepEqual([row.name, row.active, row.last_used_at, row.limits], ['Küche 🔑', true, null, null]);
  assert.equal(row.masked_key, `${key.slice(0, 8)}...${key.slice(-4)}`);
  assert.match(row.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const list = await ask('GET');
  assert.deepEqual(list.json.data[0], row);
  assert.ok(!list.text.includes(key));
  assert.equal((await ask('GET', '', undefined, key)).status, 200);
});

test('nothing of a key but its digest and mask is stored', async () => {
  const { key } = await someone();
  const rows = await db.database.query<{ text: string }>('select k::text as text from api_keys k');
  assert.ok(rows.every(({ text }) => !text.includes(key) && !text.includes(key.slice(4, 30))));
});

test('the name is optional: no body, an empty one and {} make "API key"', async () => {
  const { ask } = await someone();
  for (const body of [undefined, '', {}, { other: 1 }]) {
    const { status, json } = await ask('POST', '', body);
    assert.deepEqual([status, json.name], [201, 'API key']);
  }
});

test('bad names are refused: 400 for a bad value, 422 for a wrong type', async () => {
  const { ask } = await someone();
  for (const name of ['', '   ', 'x'.repeat(81), 'a\nb', 'a\u0000']) {
    const { status, json } = await ask('POST', '', { name });
    assert.deepEqual(
      [status, json.error.code, json.error.param],
      [400, 'invalid_request', 'name'],
      JSON.stringify(name),
    );
  }
  for (const body of [{ name: 1 }, { name: null }, { name: ['a'] }, [], 'null', '"name"']) {
    const { status, json } = await ask('POST', '', body);
    assert.deepEqual([status, json.error.code, Array.isArray(json.detail)], [422, 'invalid_request', true]);
  }
  assert.equal((await ask('POST', '', '{')).status, 400);
  assert.equal((await ask('POST', '', { name: '鍵'.repeat(80) })).status, 201);
});

test("fields that are not the caller's to set are ignored", async () => {
  const [mine, other] = [await someone(), await someone()];
  const extra = {
    account_id: other.accountId,
    active: false,
    id: 'key_00000000000000000000000000',
    digest: 'x',
    key: 'fnf_x',
  };
  const { json } = await mine.ask('POST', '', { name: 'n', ...extra });
  assert.equal(json.active, true);
  assert.notEqual(json.id, extra.id);
  assert.equal((await other.ask('GET')).json.total_count, 1);
});

test('a deactivated key stops at once and works again after activation, as the same key', async () => {
  const { ask } = await someone();
  const { id, key } = (await ask('POST')).json;
  const { key: _, ...row } = (await ask('GET')).json.data[0];
  const off = await ask('PATCH', `/${id}/deactivate`);
  assert.deepEqual([off.status, off.json], [200, { ...row, active: false }]);
  const refused = await ask('GET', '', undefined, key);
  assert.deepEqual([refused.status, refused.json.error.code], [401, 'invalid_credentials']);
  assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  const on = await ask('PATCH', `/${id}/activate`);
  assert.deepEqual([on.status, on.json], [200, row]);
  assert.equal((await ask('GET', '', undefined, key)).status, 200);
});

test('setting the state a key already has is 200 and changes nothing', async () => {
  const { ask } = await someone();
  const { id } = (await ask('POST')).json;
  for (const verb of ['activate', 'deactivate', 'deactivate', 'activate', 'activate']) {
    const { status, json } = await ask('PATCH', `/${id}/${verb}`);
    assert.deepEqual([status, json.active], [200, verb === 'activate']);
  }
});

test('a deleted key is gone: 204, then 404, and it authenticates no more', async () => {
  const { ask } = await someone();
  const { id, key } = (await ask('POST')).json;
  const gone = await ask('DELETE', `/${id}`);
  assert.deepEqual([gone.status, gone.text], [204, '']);
  for (const [method, path] of [
    ['DELETE', ''],
    ['PATCH', '/activate'],
    ['PATCH', '/deactivate'],
  ] as const) {
    const { status, json } = await ask(method, `/${id}${path}`);
    assert.deepEqual([status, json.error.code], [404, 'not_found']);
  }
  assert.equal((await ask('GET', '', undefined, key)).status, 401);
});

test('a key may delete itself, and its account keeps the others', async () => {
  const { ask, keyId } = await someone();
  const { key } = (await ask('POST')).json;
  assert.equal((await ask('DELETE', `/${keyId}`)).status, 204);
  assert.equal((await ask('GET')).status, 401);
  assert.equal((await ask('GET', '', undefined, key)).json.total_count, 1);
});

test("another account's key is as unknown as one that never was, byte for byte", async () => {
  const [mine, other] = [await someone(), await someone()];
  const ids = [other.keyId, 'key_00000000000000000000000000', 'nonsense', '%F0%9F%94%91', "'; drop table api_keys; --"];
  for (const [method, verb] of [
    ['DELETE', ''],
    ['PATCH', '/activate'],
    ['PATCH', '/deactivate'],
  ] as const) {
    const answers = await Promise.all(ids.map((id) => mine.ask(method, `/${encodeURI(id)}${verb}`)));
    for (const { status, text, json } of answers) {
      assert.equal(status, 404);
      assert.equal(
        text.replace(json.error.request_id, ''),
        answers[0]?.text.replace(answers[0].json.error.request_id, ''),
      );
    }
  }
  assert.deepEqual(
    (await mine.ask('GET')).json.data.map((row: { id: string }) => row.id),
    [mine.keyId],
  );
  assert.equal((await other.ask('GET')).status, 200);
});

test('pages walk through all keys once, newest first, also when many were made in one instant', async () => {
  const { ask, accountId, keyId } = await someone();
  for (let i = 0; i < 30; i++) await seedKey(db.database, { accountId, name: `k${i}` });
  await db.database.query(
    "update api_keys set created_at = '2026-01-02T03:04:05.678901Z' where account_id = $1 and name > 'k2'",
    [accountId],
  );
  const expected = (
    await db.database.query<{ id: string }>(
      'select id from api_keys where account_id = $1 order by created_at desc, id desc',
      [accountId],
    )
  ).map(({ id }) => id);
  for (const limit of [1, 7, 25, 31, 100]) {
    const seen: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { status, json } = await ask('GET', `?limit=${limit}${cursor && `&cursor=${cursor}`}`);
      assert.equal(status, 200);
      assert.equal(json.total_count, 31);
      assert.ok(json.data.length <= limit);
      seen.push(...json.data.map((row: { id: string }) => row.id));
      cursor = json.next_cursor;
    }
    assert.deepEqual(seen, expected);
  }
  assert.equal((await ask('GET')).json.data.length, 25);
  assert.ok(expected.includes(keyId));
});

test('a page continues after the last row shown even if that key was deleted meanwhile', async () => {
  const { ask, accountId } = await someone();
  for (let i = 0; i < 5; i++) await seedKey(db.database, { accountId });
  const first = (await ask('GET', '?limit=3')).json;
  await ask('DELETE', `/${first.data[2].id}`);
  const second = (await ask('GET', `?limit=3&cursor=${first.next_cursor}`)).json;
  assert.equal(second.data.length, 3);
  assert.equal(second.next_cursor, null);
});

test('limits outside 1 to 100, foreign and tampered cursors are refused', async () => {
  const [mine, other] = [await someone(), await someone()];
  for (const limit of ['0', '101', 'x', '']) {
    const { status, json } = await mine.ask('GET', `?limit=${limit}`);
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_request', 'limit']);
  }
  await mine.ask('POST');
  const cursor: string = (await mine.ask('GET', '?limit=1')).json.next_cursor;
  assert.equal((await mine.ask('GET', `?cursor=${cursor}`)).status, 200);
  const wrong = ['', 'x', `${cursor}x`, cursor.slice(1), cursor.replace('.', ''), `${cursor}&cursor=${cursor}`];
  for (let at = 0; at < cursor.length; at++)
    wrong.push(`${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`);
  const answers = await Promise.all(wrong.map((it) => mine.ask('GET', `?cursor=${it}`)));
  for (const { status, json } of [...answers, await other.ask('GET', `?cursor=${cursor}`)])
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_cursor', 'cursor']);
});

test('twenty deletions and state changes at once: one deletion wins and nothing brings the key back', async () => {
  const { ask } = await someone();
  for (let round = 0; round < 5; round++) {
    const { id, key } = (await ask('POST')).json;
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 === 0 ? ask('DELETE', `/${id}`) : ask('PATCH', `/${id}/${i % 4 === 1 ? 'activate' : 'deactivate'}`),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 204).length, 1);
    assert.ok(answers.every(({ status }) => [200, 204, 404].includes(status)));
    assert.equal((await ask('GET', '', undefined, key)).status, 401);
  }
});

test('an account never has more active keys than it may, however many are made or activated at once', async () => {
  const { accountId, keyId, ask } = await someone();
  await db.database.query('update accounts set max_active_keys = 4 where id = $1', [accountId]);
  const made = await Promise.all(Array.from({ length: 10 }, () => ask('POST')));
  assert.deepEqual(made.map(({ status }) => status).sort(), [...Array(3).fill(201), ...Array(7).fill(409)]);
  const refused = made.find(({ status }) => status === 409);
  assert.deepEqual(refused?.json.error.details, { reason: 'max_active_keys', limit: 4 });
  const spare = made.find(({ status }) => status === 201)?.json.id;
  assert.equal((await ask('PATCH', `/${spare}/deactivate`)).status, 200);
  assert.equal((await ask('POST')).status, 201);
  assert.equal((await ask('PATCH', `/${spare}/activate`)).status, 409);
  assert.equal((await ask('PATCH', `/${keyId}/activate`)).status, 200, 'what is active already stays so');
});

test('every route of this room needs an account', () => {
  const own = server.app.routeTable.rows.filter(({ operation }) => operation.startsWith('keys.'));
  assert.deepEqual(
    own
      .map(({ method, path, operation, access, envelope }) =>
        [method, path, operation, access, envelope.name].join(' '),
      )
      .sort(),
    [
      'DELETE /api/v1/keys/:keyId keys.delete account Error',
      'GET /api/v1/keys keys.list account Error',
      'HEAD /api/v1/keys keys.list account Error',
      'PATCH /api/v1/keys/:keyId/activate keys.activate account Error',
      'PATCH /api/v1/keys/:keyId/deactivate keys.deactivate account Error',
      'POST /api/v1/keys keys.create account Error',
    ],
  );
});
