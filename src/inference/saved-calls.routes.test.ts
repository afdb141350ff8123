import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { seedAccount, seedKey } from '#test/accounts.ts';
import { openKeeping } from './saved-calls.fixture.ts';
import { createSweep } from './saved-calls-sweep.ts';

const { database, close, ask, someone } = await openKeeping();
after(close);

test('filters find calls by model, time and what was said, whatever its case', async () => {
  const { chat, savedCalls, saved, slug, key } = await someone();
  const first = await chat('Where is the RED Lamp?');
  await savedCalls(1);
  const second = await ask(key, 'POST', `/api/projects/${slug}/chat/openai/v1/chat/completions`, {
    model: 'fanfold-tiny-chat',
    messages: [{ role: 'user', content: 'Ｔｗｏ chairs' }],
    max_tokens: 4,
    reasoning_effort: 'none',
  });
  const [newer] = await savedCalls(2);
  assert.equal(newer.id, second.id);
  const idsOf = async (query: string) => (await saved(query)).json.data.map(({ id }: { id: string }) => id);
  assert.deepEqual(await idsOf('?q=red%20lamp'), [first.id]);
  assert.deepEqual(await idsOf('?q=two'), [second.id]);
  assert.deepEqual(await idsOf('?q=nowhere'), []);
  assert.deepEqual(await idsOf('?q=%25'), []);
  assert.deepEqual(await idsOf('?model=chat'), [first.id]);
  assert.deepEqual(await idsOf('?model=fanfold-tiny-chat&q=lamp'), []);
  const at = encodeURIComponent(newer.created_at);
  assert.deepEqual(await idsOf(`?from=${at}`), [second.id]);
  assert.deepEqual(await idsOf(`?to=${at}`), [first.id]);
  assert.deepEqual(await idsOf('?to=2020-01-01T00:00:00Z'), []);
  assert.deepEqual(await idsOf(`?request_id=${first.id}`), [first.id]);
  assert.deepEqual(await idsOf(`?request_id=${first.id}&q=two`), []);
  assert.deepEqual(await idsOf('?request_id=req_nothing'), []);
  for (const [query, param] of [
    ['?from=yesterday', 'from'],
    ['?to=', 'to'],
    ['?q=', 'q'],
    [`?q=${'x'.repeat(201)}`, 'q'],
    [`?request_id=${'x'.repeat(65)}`, 'request_id'],
    ['?limit=0', 'limit'],
  ]) {
    const { status, json } = await saved(query);
    assert.deepEqual([status, json.error.code, json.error.param], [400, 'invalid_request', param]);
  }
  const page = await saved('?limit=1');
  assert.equal(page.json.total_count, 2);
  const next = await saved(`?limit=1&cursor=${page.json.next_cursor}`);
  assert.deepEqual([next.json.data[0].id, next.json.next_cursor], [first.id, null]);
  const foreign = await saved(`?q=lamp&cursor=${page.json.next_cursor}`);
  assert.deepEqual([foreign.status, foreign.json.error.code], [400, 'invalid_cursor']);
});

test('one call, the calls of a filter, or all of them are deleted, and nothing of another project', async () => {
  const [mine, other] = [await someone(), await someone()];
  const asked = ['red', 'green', 'blue', 'grey'];
  const ids = new Map<string, string>();
  for (const colour of asked) ids.set(colour, (await mine.chat(`a ${colour} lamp`)).id);
  await other.chat('a red lamp');
  await Promise.all([mine.savedCalls(4), other.savedCalls(1)]);
  const red = ids.get('red');
  assert.equal((await other.remove(`/${red}`)).status, 404);
  assert.deepEqual([(await mine.remove(`/${red}`)).status, (await mine.remove(`/${red}`)).status], [204, 404]);
  assert.equal((await mine.saved(`/${red}`)).status, 404);
  const refused = await mine.remove('');
  assert.deepEqual([refused.status, refused.json.error.param], [400, 'all']);
  assert.equal((await mine.remove('?qq=green')).status, 400);
  for (const blank of ['%20', '%09%20', '%C2%A0', '%E3%80%80', '']) {
    const { status, json } = await mine.remove(`?q=${blank}`);
    assert.deepEqual([status, json.error?.param], [400, 'q'], 'a blank search deletes nothing');
  }
  assert.deepEqual((await mine.remove('?q=green')).json, { deleted: 1 });
  assert.deepEqual((await mine.remove('?all=true')).json, { deleted: 2 });
  assert.deepEqual((await mine.saved()).json, { data: [], next_cursor: null, total_count: 0 });
  assert.equal((await other.saved()).json.total_count, 1);
});

test('a call past its time is gone for readers at once, and for good after the sweep', async () => {
  const { chat, savedCalls, saved, remove, accountId } = await someone();
  const [old, young] = [await chat('old'), await chat('young')];
  await savedCalls(2);
  await database.query("update saved_calls set created_at = now() - interval '30 days' where request_id = $1", [
    old.id,
  ]);
  assert.deepEqual(
    (await saved()).json.data.map(({ id }: { id: string }) => id),
    [young.id],
  );
  assert.deepEqual([(await saved(`/${old.id}`)).status, (await remove(`/${old.id}`)).status], [404, 404]);
  assert.equal((await saved('?from=2000-01-01T00:00:00Z')).json.total_count, 1);
  const sweeps = Array.from({ length: 4 }, () => createSweep({ sql: database, retentionDays: 30 }));
  await Promise.all(sweeps.map(({ runAll }) => runAll()));
  const rows = await database.query<{ id: string }>('select request_id as id from saved_calls where account_id = $1', [
    accountId,
  ]);
  assert.deepEqual(
    rows.map(({ id }) => id),
    [young.id],
  );
});

test('an archived project shows what it has kept and lets nothing of it be deleted', async () => {
  const { chat, savedCalls, saved, remove, key, base } = await someone();
  await chat('before the archive');
  await savedCalls(1);
  assert.equal((await ask(key, 'PATCH', base, { archived: true })).status, 200);
  assert.equal((await saved()).json.total_count, 1);
  assert.equal((await remove('?all=true')).status, 409);
});

test('nobody but the owner learns whether calls are kept', async () => {
  const [owner, { accountId }] = [await someone(), await seedAccount(database)];
  const { key } = await seedKey(database, { accountId });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/req_00000000000000000000000000'],
    ['DELETE', '?all=true'],
    ['DELETE', '/req_00000000000000000000000000'],
  ] as const)
    assert.equal((await ask(key, method, `${owner.base}/saved-calls${path}`)).status, 404);
});
