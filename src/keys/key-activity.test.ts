import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { startNativeServer } from '#test/native-server.ts';
import { deleteKey, issueKey, setKeyActive } from './keys.ts';

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

type Told = {
  type: string;
  actor: string;
  actor_id: string | null;
  subject: string;
  label: string;
  message: string;
  data: unknown;
  request_id: string | null;
};

/** What the feed of an account says about keys, oldest first. */
function feedOf(accountId: string, sql: Sql = db.database): Promise<Told[]> {
  return sql.query<Told>(
    `select type, actor_kind || ' ' || actor_label as actor, actor_id, subject_kind || ' ' || subject_id as subject,
            subject_label as label, message, data, request_id
       from activity where account_id = $1 order by created_at, id`,
    [accountId],
  );
}

async function someone() {
  const { accountId } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId, name: 'laptop' });
  const ask = (method: string, path = '') =>
    fetch(`${server.origin}/api/v1/keys${path}`, { method, headers: bearer(key) });
  return { accountId, key, keyId, ask };
}

test('every change of a key is told once: by whom, to which key, in which request', async () => {
  const { accountId, keyId, ask } = await someone();
  const made = await ask('POST');
  const { id, key, masked_key } = (await made.json()) as { id: string; key: string; masked_key: string };
  const answers = [made];
  for (const [method, path] of [
    ['PATCH', `/${id}/deactivate`],
    ['PATCH', `/${id}/deactivate`],
    ['PATCH', `/${id}/activate`],
    ['PATCH', `/${id}/activate`],
    ['DELETE', `/${id}`],
    ['DELETE', `/${id}`],
  ] as const)
    answers.push(await ask(method, path));
  const [seeded, ...told] = await feedOf(accountId);
  assert.deepEqual([seeded?.type, seeded?.actor, seeded?.request_id], ['key.created', 'system Fanfold', null]);
  const requestIdOf = (index: number) => answers[index]?.headers.get('x-request-id') ?? '';
  assert.deepEqual(
    told.map((row) => [row.type, row.actor, row.actor_id, row.subject, row.label, row.request_id]),
    [
      ['key.created', 0],
      ['key.deactivated', 1],
      ['key.activated', 3],
      ['key.deleted', 5],
    ].map(([type, at]) => [type, 'api_key laptop', keyId, `key ${id}`, 'API key', requestIdOf(Number(at))]),
  );
  for (const row of told) assert.deepEqual(row.data, { masked_key });
  assert.ok(!JSON.stringify(told).includes(key.slice(8, -4)), 'the feed holds the secret');
});

test('twenty deactivations at once are told once', async () => {
  const { accountId, ask } = await someone();
  const { keyId } = await seedKey(db.database, { accountId });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('PATCH', `/${keyId}/deactivate`)));
  assert.ok(answers.every(({ status }) => status === 200));
  const told = (await feedOf(accountId)).filter(({ type }) => type === 'key.deactivated');
  assert.equal(told.length, 1);
});

test('what concurrent changes did is told in the order in which it happened', async () => {
  const { accountId, ask } = await someone();
  const { keyId } = await seedKey(db.database, { accountId });
  const verbs = Array.from({ length: 24 }, (_, i) => (i % 2 === 0 ? 'deactivate' : 'activate'));
  await Promise.all([...verbs.map((verb) => ask('PATCH', `/${keyId}/${verb}`)), ask('DELETE', `/${keyId}`)]);
  const told = (await feedOf(accountId)).filter(({ subject }) => subject === `key ${keyId}`).map(({ type }) => type);
  assert.deepEqual([told.at(0), told.filter((type) => type === 'key.deleted').length], ['key.created', 1]);
  const states = told.filter((type) => type !== 'key.deleted').map((type) => type !== 'key.deactivated');
  for (const [index, active] of states.entries()) assert.notEqual(active, states[index - 1] ?? false);
});

test("what fails is not told: a bad name, another account's key, a key that never was", async () => {
  const [mine, other] = [await someone(), await someone()];
  for (const id of [other.keyId, 'key_00000000000000000000000000', 'nonsense'])
    assert.equal((await mine.ask('PATCH', `/${id}/deactivate`)).status, 404);
  const { accountId } = mine;
  await assert.rejects(db.database.transaction((tx) => issueKey(tx, { accountId, name: '' })));
  assert.deepEqual(
    [...(await feedOf(mine.accountId)), ...(await feedOf(other.accountId))].map(({ type }) => type),
    ['key.created', 'key.created'],
  );
});

test('a change that cannot be told does not happen', async () => {
  const { accountId, keyId, ask } = await someone();
  const mute = (tx: Sql): Sql => ({
    query: async (text, ...rest) => {
      if (text.includes('into activity')) throw new Error('no room');
      return tx.query(text, ...rest);
    },
  });
  const changes: ((tx: Sql) => Promise<unknown>)[] = [
    (tx) => issueKey(mute(tx), { accountId }),
    (tx) => setKeyActive(mute(tx), { accountId, keyId }, false),
    (tx) => deleteKey(mute(tx), { accountId, keyId }),
  ];
  for (const change of changes) await assert.rejects(db.database.transaction(change), /no room/);
  const list = (await (await ask('GET')).json()) as { data: { id: string; active: boolean }[] };
  assert.deepEqual(
    list.data.map(({ id, active }) => [id, active]),
    [[keyId, true]],
  );
});
