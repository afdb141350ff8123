import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { doctor, grant } from '#billing';
import { type Calls, createCalls } from '#calls';
import type { Database } from '#db';
import { Fault, fault, newId, systemClock } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { fileDatabase } from '#test/file-database.ts';
import { chargeFor, type TestCharge } from '#test/money.ts';
import { removeStoredCallsOf } from './deleted-projects.ts';
import type { NewStoredResponse, ResponseStore } from './stored-responses.ts';
import { chainBounds, createStoredResponses, type StoringOptions } from './storing-responses.ts';

let calls: Calls;
// Before the database goes.
after(() => calls?.stop());
const callsOn = (database: Database) => createCalls({ database, serverId: newId('ins'), clock: systemClock });
const file = fileDatabase({
  prepare: async (database) => {
    calls = callsOn(database);
    calls.start();
  },
});
type Owner = { accountId: string; projectId: string };

async function someone(): Promise<Owner> {
  const { accountId } = await seedAccount(file());
  await grant(file(), { accountId, micro: 1_000_000n, note: null });
  const { projectId } = await seedProject(file(), { accountId });
  return { accountId, projectId };
}

function storeOf(options: Partial<StoringOptions> = {}) {
  const storing = createStoredResponses({
    database: file(),
    retentionDays: 30,
    accountBytes: 2 ** 28,
    ...options,
  });
  const { store } = storing;
  assert.ok(store);
  return {
    ...storing,
    keep: (stored: NewStoredResponse, charge: TestCharge, on = calls, storedFor = charge.accountId) =>
      end(on, charge, store, { stored, storedFor }),
    of: ({ accountId, projectId }: Owner) => store.of({ accountId, project: { id: projectId } }),
  };
}

const chargeOf = ({ accountId, projectId }: Owner, requestId = newId('req'), heldMicro = 0n): TestCharge => ({
  ...chargeFor(accountId, { requestId, heldMicro }),
  projectId,
});

/** Ends a call, and stores a response with its charge. */
async function end(
  on: Calls,
  charge: TestCharge,
  store: ResponseStore,
  { stored, storedFor }: { stored: NewStoredResponse; storedFor: string },
): Promise<void> {
  const { callId: id, accountId, operation, ...rest } = charge;
  const project = { id: charge.projectId, owner: 'owner', slug: 'project' };
  const call = on.open({ id, operation, target: { accountId, project, model: 'chat', key: null } });
  try {
    await call.begin({ keyId: null, heldMicro: charge.heldMicro, limits: null, idempotency: null });
    const attachment = store.attachment({ accountId: storedFor, project }, stored);
    await call.end(rest, attachment ? { attachment } : {});
  } finally {
    await call.close();
  }
}

function response(previousId: string | null = null, more: Partial<NewStoredResponse> = {}): NewStoredResponse {
  const id = `resp_${newId('req').slice(4)}`;
  return {
    id,
    previousId,
    model: 'chat',
    input: [{ type: 'message', role: 'user', content: 'Hi' }],
    body: { id, output: [] },
    ...more,
  };
}

/** Responses that follow each other, the oldest first. */
async function conversation(store: ReturnType<typeof storeOf>, owner: Owner, length: number) {
  const made: NewStoredResponse[] = [];
  for (let place = 0; place < length; place++) {
    const next = response(made.at(-1)?.id ?? null);
    await store.keep(next, chargeOf(owner));
    made.push(next);
  }
  return made.map(({ id }) => id);
}

const rowsOf = async ({ accountId }: Owner, sql: Database = file()) =>
  (
    await sql.query<{ id: string }>('select id from stored_responses where account_id = $1 order by created_at, id', [
      accountId,
    ])
  ).map(({ id }) => id);

const chargesOf = ({ accountId }: Owner) =>
  file().query<{ requestId: string; micro: bigint }>(
    `select request_id as "requestId", micro from ledger where account_id = $1 and type = 'inference'`,
    [accountId],
  );

const age = (ids: readonly string[], days: number) =>
  file().query('update stored_responses set created_at = now() - make_interval(days => $2) where id = any($1)', [
    ids,
    days,
  ]);

const idsOf = (chain: { id: string }[] | null) => chain?.map(({ id }) => id) ?? null;

test('what is stored is read as it was, with its digits, the order of its keys, NULs and halves of characters', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const digits = JSON.rawJSON('1.50');
  const given = response(null, {
    input: [{ b: 1, a: digits, text: 'a\0b \ud83d' }],
    body: { z: digits, large: JSON.rawJSON('12345678901234567890'), output: [{ text: '\0' }] },
  });
  await store.keep(given, chargeOf(owner));
  const found = await store.of(owner).find(given.id);
  assert.ok(found);
  const { createdAt, ...rest } = found;
  assert.ok(Math.abs(createdAt.getTime() - Date.now()) < 600_000);
  assert.equal(JSON.stringify(rest.input), JSON.stringify(given.input));
  assert.equal(JSON.stringify(rest.body), JSON.stringify(given.body));
  assert.deepEqual([rest.id, rest.previousId, rest.model], [given.id, null, 'chat']);
});

test('a response is stored with its charge, or neither is', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const [given, refused] = [response(), response()];
  const charge = chargeOf(owner, newId('req'), 1_000n);
  await store.keep(given, charge);
  assert.deepEqual(await chargesOf(owner), [{ requestId: charge.requestId, micro: -100n }]);
  // PostgreSQL refuses the charge.
  await assert.rejects(store.keep(refused, { ...chargeOf(owner), keyName: 'NUL \0 is no text' }));
  assert.equal(await store.of(owner).find(refused.id), null);
  assert.deepEqual(await rowsOf(owner), [given.id]);
  assert.equal((await chargesOf(owner)).length, 1);
  assert.deepEqual(await doctor(file()), []);
});

test('a response is stored once, and as it was at first', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const given = response();
  await Promise.all([store.keep(given, chargeOf(owner)), store.keep(given, chargeOf(owner))]);
  await store.keep({ ...given, body: { other: true } }, chargeOf(owner));
  assert.deepEqual((await store.of(owner).find(given.id))?.body, given.body);
  assert.equal((await rowsOf(owner)).length, 1);
});

test('many are stored together, and one that cannot be stored fails alone', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 40 }, (_, place) =>
      store.keep(response(), chargeOf(owner), calls, place === 7 ? 'acc_nobody' : owner.accountId),
    ),
  );
  assert.deepEqual(
    outcomes.flatMap(({ status }, place) => (status === 'rejected' ? [place] : [])),
    [7],
  );
  assert.equal((await rowsOf(owner)).length, 39);
});

test('a database that comes back soon loses no response', async () => {
  const owner = await someone();
  let failures = 2;
  const database: Database = {
    ...file(),
    transaction: (work) => (failures-- > 0 ? Promise.reject(fault('service_unavailable')) : file().transaction(work)),
  };
  const flaky = callsOn(database);
  const store = storeOf();
  const given = response();
  await store.keep(given, chargeOf(owner), flaky);
  assert.ok(await store.of(owner).find(given.id));
  await flaky.stop();
});

test('two megabytes are stored, more are not', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const sized = (bytes: number) =>
    response(null, { input: [], body: { text: 'x'.repeat(bytes - '[]{"text":""}'.length) } });
  const [fits, tooLarge] = [sized(2 * 1024 * 1024), sized(2 * 1024 * 1024 + 1)];
  for (const each of [fits, tooLarge]) await store.keep(each, chargeOf(owner));
  assert.deepEqual(await rowsOf(owner), [fits.id]);
});

test('an account that stores more than it may loses its oldest responses, and no other account does', async () => {
  const [owner, other] = [await someone(), await someone()];
  const body = { text: 'x'.repeat(10_000) };
  const store = storeOf({ accountBytes: 50_000, random: () => 0 });
  const made = Array.from({ length: 8 }, () => response(null, { body }));
  const fromOther = response(null, { body });
  await store.keep(fromOther, chargeOf(other));
  for (const each of made) await store.keep(each, chargeOf(owner));
  await store.stop();
  assert.deepEqual(
    await rowsOf(owner),
    made.slice(-4).map(({ id }) => id),
  );
  assert.deepEqual(await rowsOf(other), [fromOther.id]);
});

test('a conversation is read from its beginning, each branch for itself', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const ids = await conversation(store, owner, 3);
  const branch = response(ids[0]);
  await store.keep(branch, chargeOf(owner));
  const { chain } = store.of(owner);
  assert.deepEqual(idsOf(await chain(ids[2] ?? '')), ids);
  assert.deepEqual(idsOf(await chain(ids[1] ?? '')), ids.slice(0, 2));
  assert.deepEqual(idsOf(await chain(branch.id)), [ids[0], branch.id]);
});

test('a conversation of which a response is gone, or that never was, is null', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const ids = await conversation(store, owner, 3);
  const { chain, find, remove } = store.of(owner);
  assert.equal(await remove(ids[1] ?? ''), true);
  assert.equal(await remove(ids[1] ?? ''), false);
  assert.equal(await chain(ids[2] ?? ''), null);
  assert.ok(await find(ids[2] ?? ''));
  assert.deepEqual(idsOf(await chain(ids[0] ?? '')), ids.slice(0, 1));
  for (const unknown of ['resp_none', '', 'a\0b', '\ud83d']) {
    assert.equal(await chain(unknown), null);
    assert.equal(await find(unknown), null);
    assert.equal(await remove(unknown), false);
  }
});

test('a conversation that is too long, or too large, is refused with the field that names it', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const refused = (error: unknown) =>
    error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'previous_response_id';
  const { chain } = store.of(owner);
  const template = response();
  await store.keep(template, chargeOf(owner));
  await file().query(
    `insert into stored_responses (project_id, account_id, id, previous_id, model, input, body, bytes)
     select project_id, account_id, 'long_' || n, nullif('long_' || n - 1, 'long_0'), model, input, body, bytes
       from stored_responses, generate_series(1, $2::integer) n where id = $1`,
    [template.id, chainBounds.mostResponses + 1],
  );
  assert.equal((await chain(`long_${chainBounds.mostResponses}`))?.length, chainBounds.mostResponses);
  await assert.rejects(chain(`long_${chainBounds.mostResponses + 1}`), refused);

  const half = () => ({ input: [], body: { text: 'x'.repeat(1024 * 1024 * 2 - 100) } });
  const first = response(null, half());
  const second = response(first.id, half());
  const third = response(second.id);
  for (const each of [first, second, third]) await store.keep(each, chargeOf(owner));
  assert.equal((await chain(second.id))?.length, 2);
  assert.equal((await chain(third.id))?.length, 3);
  const fourth = response(third.id, { body: { text: 'x'.repeat(300) } });
  await store.keep(fourth, chargeOf(owner));
  await assert.rejects(chain(fourth.id), refused);
});

test('a response that is past its time is gone at once, and removed by the sweep', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const ids = await conversation(store, owner, 1);
  await age(ids, 31);
  const { find, chain, remove } = store.of(owner);
  const [id = ''] = ids;
  assert.deepEqual([await find(id), await chain(id), await remove(id)], [null, null, false]);
  await store.runAll();
  assert.deepEqual(await rowsOf(owner), []);
});

test('what is followed stays behind for as long as it is, and goes with the last response of its conversation', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const ids = await conversation(store, owner, 4);
  await age(ids.slice(0, 2), 40);
  await store.runAll();
  const { find, chain } = store.of(owner);
  assert.equal(await find(ids[0] ?? ''), null);
  assert.deepEqual(idsOf(await chain(ids[3] ?? '')), ids);
  await age(ids, 40);
  await store.runAll();
  assert.deepEqual(await rowsOf(owner), []);
});

test('where nothing is to be stored, what was stored goes', async () => {
  const owner = await someone();
  await conversation(storeOf(), owner, 2);
  const storing = createStoredResponses({ database: file(), retentionDays: 0, accountBytes: 1 });
  assert.equal(storing.store, null);
  await age(await rowsOf(owner), 1);
  await storing.runAll();
  assert.deepEqual(await rowsOf(owner), []);
});

const markDeleted = ({ projectId }: Owner) =>
  file().query('update all_projects set deleted_at = now(), removal_due_at = now() where id = $1', [projectId]);

test('a call that ends after its project was deleted is charged, and nothing of it is stored', async () => {
  const [owner, store] = [await someone(), storeOf()];
  const charge = chargeOf(owner, newId('req'), 1_000n);
  await markDeleted(owner);
  await store.keep(response(), charge);
  assert.deepEqual(await rowsOf(owner), []);
  assert.deepEqual(await chargesOf(owner), [{ requestId: charge.requestId, micro: -100n }]);
  assert.deepEqual(await doctor(file()), []);
});

test('responses of all accounts go with their project, and those of an account with it', async () => {
  const [owner, guest, store] = [await someone(), await someone(), storeOf()];
  const asGuest = { ...guest, projectId: owner.projectId };
  const kept = response();
  await store.keep(response(), chargeOf(owner));
  await store.keep(response(), chargeOf(asGuest));
  await store.keep(kept, chargeOf(guest));
  await markDeleted(owner);
  const repeat = async (work: () => Promise<number>) => {
    while ((await work()) > 0);
  };
  await removeStoredCallsOf(file())({ id: owner.projectId, accountId: owner.accountId }, { repeat });
  assert.deepEqual([await rowsOf(owner), await rowsOf(guest)], [[], [kept.id]]);

  const { accountId } = await seedAccount(file());
  const visitor = { accountId, projectId: guest.projectId };
  await store.keep(response(), chargeOf(visitor));
  await file().query('delete from accounts where id = $1', [accountId]);
  assert.deepEqual([await rowsOf(visitor), await rowsOf(guest)], [[], [kept.id]]);
});

test('an account reads what it has stored in a project, and nothing of others there or elsewhere', async () => {
  const [owner, guest, store] = [await someone(), await someone(), storeOf()];
  const asGuest = { ...guest, projectId: owner.projectId };
  const [ofOwner, ofGuest] = [response(), response()];
  await store.keep(ofOwner, chargeOf(owner));
  await store.keep(ofGuest, chargeOf(asGuest));
  const foreign = [
    [owner, ofGuest],
    [asGuest, ofOwner],
    [guest, ofGuest],
    [guest, ofOwner],
  ] as const;
  for (const [who, { id }] of foreign) {
    const { find, chain, remove } = store.of(who);
    assert.deepEqual([await find(id), await chain(id), await remove(id)], [null, null, false]);
  }
  // What names a foreign response goes on from nothing.
  const follower = response(ofOwner.id);
  await store.keep(follower, chargeOf(asGuest));
  assert.equal(await store.of(asGuest).chain(follower.id), null);
  assert.ok(await store.of(owner).find(ofOwner.id));
  assert.ok(await store.of(asGuest).find(ofGuest.id));
});
