import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newId } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { fileDatabase } from '#test/file-database.ts';
import { deleteOldAnswers, findByKey, storeAnswer } from './answers.store.ts';
import { beginCalls, voidCalls } from './calls.store.ts';

const database = fileDatabase();

const fingerprint = (of: string) => Buffer.alloc(32, of);
const bodyOf = (text: string) => ({ status: 201, body: Buffer.from(text), isSealed: false });

type KeyedRequest = { accountId: string; key: string; fingerprint: Buffer; serverId: string; requestId: string };

/** A request of an account of its own under a key of its own; whatever is given is shared with another one. */
async function request(shared: Partial<KeyedRequest> = {}): Promise<KeyedRequest> {
  const { accountId } =
    shared.accountId === undefined ? await seedAccount(database()) : { accountId: shared.accountId };
  const requestId = newId('req');
  return { key: randomUUID(), fingerprint: fingerprint('a'), serverId: 'ins_gone', ...shared, accountId, requestId };
}

async function take({ requestId, accountId, key, fingerprint, serverId }: KeyedRequest): Promise<boolean> {
  const call = { operation: 'things.create', projectId: null, keyId: null, model: null, heldMicro: 0n, limits: null };
  const requests = [{ ...call, requestId, accountId, idempotency: { key, fingerprint } }];
  const [result] = await beginCalls(database(), requests, { serverId });
  return result?.outcome === 'begun';
}

const keep = ({ requestId }: KeyedRequest, text: string) => storeAnswer(database(), requestId, bodyOf(text));
const kept = async (of: KeyedRequest) => (await findByKey(database(), of))?.answer?.body.toString();

async function age(...requests: KeyedRequest[]): Promise<void> {
  await database().query("update calls set created_at = now() - interval '25 hours' where request_id = any($1)", [
    requests.map(({ requestId }) => requestId),
  ]);
}

test('who takes a key that is a day old has it for a day, with what he asks for', async () => {
  const first = await request();
  const second = await request({ ...first, fingerprint: fingerprint('b'), serverId: 'ins_other' });
  const third = await request({ ...second, serverId: 'ins_third' });
  await take(first);
  await keep(first, 'first');
  await age(first);
  assert.equal(await take(second), true);
  await keep(second, 'second');
  assert.equal(await take(third), false);
  const row = await findByKey(database(), third);
  assert.deepEqual([row?.requestId, row?.fingerprint], [second.requestId, second.fingerprint]);
  assert.equal(row?.answer?.body.toString(), 'second');
});

test('a process that is taken for dead does not run a second time what it runs', async () => {
  const first = await request();
  assert.equal(await take(first), true);
  assert.equal(await take(await request(first)), false);
  assert.equal(await take(await request({ ...first, serverId: 'ins_other' })), true);
});

test('accounts that use one key, and keys of one account, have an answer each', async () => {
  const one = await request();
  const requests = [one, await request({ key: one.key }), await request({ accountId: one.accountId })];
  for (const each of requests) assert.equal(await take(each), true);
  for (const each of requests) assert.equal(await keep(each, each.requestId), true);
  for (const each of requests) assert.equal(await kept(each), each.requestId);
});

test('an answer that is kept stays as it is', async () => {
  const one = await request();
  await take(one);
  assert.equal(await keep(one, 'first'), true);
  assert.equal(await keep(one, 'second'), false);
  assert.equal(await kept(one), 'first');
});

test('a request that gives its key back leaves those of others, and of those that have an answer', async () => {
  const [over, answered, running] = [await request(), await request(), await request()];
  for (const each of [over, answered, running]) await take(each);
  await keep(answered, 'kept');
  await voidCalls(database(), [over.requestId, answered.requestId]);
  assert.equal(await findByKey(database(), over), null);
  assert.equal(await kept(answered), 'kept');
  assert.equal((await findByKey(database(), running))?.requestId, running.requestId);
});

test('rows that are a day old go without others of their key or account', async () => {
  const old = await request();
  const young = [await request({ key: old.key }), await request({ accountId: old.accountId })];
  for (const each of [old, ...young]) {
    await take(each);
    await keep(each, 'kept');
  }
  await age(old);
  while ((await deleteOldAnswers(database(), 100)) > 0);
  assert.equal(await kept(old), undefined);
  for (const each of young) assert.equal(await kept(each), 'kept');
});
