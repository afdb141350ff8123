import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longAnswer } from '#test/long-answer.ts';
import { readFrames } from '#test/sse.ts';
import { seedAlias, seedTenant, type Tenant } from '#test/tenants.ts';
import { createSweep } from './saved-calls-sweep.ts';

let db: TestDatabase;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

async function ask(key: string, method: string, path: string, body?: unknown) {
  const response = await fetch(app.origin + path, {
    method,
    headers: { ...bearer(key), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    id: response.headers.get('x-request-id') ?? '',
    text,
    json: text.startsWith('{') ? JSON.parse(text) : null,
  };
}

/** An account whose text project keeps calls, or not, and ways to ask as it. */
async function someone({ autoSave = true } = {}) {
  const tenant = await seedTenant(db.database, app.models);
  const base = `/api/v1/projects/${tenant.slug}/chat`;
  const saves = async (on: boolean) => {
    const { status } = await ask(tenant.key, 'PATCH', base, { inference_auto_save: on });
    assert.equal(status, 200);
  };
  if (autoSave) await saves(true);
  const saved = (query = '') => ask(tenant.key, 'GET', `${base}/saved-calls${query}`);
  const remove = (path: string) => ask(tenant.key, 'DELETE', `${base}/saved-calls${path}`);
  /** The list once it has this many; what is not there yet must come soon. */
  const savedCalls = async (count: number) => {
    for (let tries = 0; tries < 3_000; tries++) {
      const { json } = await saved();
      // The page is read before its count.
      if (json.data.length >= count) return json.data;
      await sleep(20);
    }
    throw new Error(`There are no ${count} saved calls.`);
  };
  return { ...tenant, base, saves, saved, savedCalls, remove, chat: chatAs(tenant) };
}

/** Asks the model of a project; by default the caller's own. */
function chatAs({ key, slug }: Tenant) {
  return (content: string, extra: object = {}, owner = slug, project = 'chat') =>
    ask(key, 'POST', `/api/projects/${owner}/${project}/openai/v1/chat/completions`, {
      model: 'chat',
      messages: [{ role: 'user', content }],
      reasoning_effort: 'none',
      max_tokens: 8,
      ...extra,
    });
}

/** Long enough for a call that must not be kept to be there if it were. */
async function settle(someoneElse: Awaited<ReturnType<typeof someone>>) {
  await someoneElse.chat('a call that is kept marks the time');
  await someoneElse.savedCalls(1);
}

test('a call of a project that keeps them can be read back whole: what was asked, how, and what was answered', async () => {
  const { chat, savedCalls, saved, key, keyId } = await someone();
  const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }];
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'What is 2 + 3?' },
    {
      role: 'assistant',
      content: '',
      reasoning_content: 'hm',
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', content: '5', tool_call_id: 'call_1' },
    { role: 'user', content: 'So?' },
  ];
  const answer = await chat('', { messages, tools, tool_choice: 'none', temperature: 0, seed: 7, stop: 'zzz' });
  assert.equal(answer.status, 200, answer.text);
  const [row] = await savedCalls(1);
  assert.equal(row.id, answer.id);
  const detail = await saved(`/${row.id}`);
  const { expires_at, created_at, active_ms, ...rest } = detail.json;
  assert.equal(Date.parse(expires_at) - Date.parse(created_at), 30 * 24 * 3_600_000);
  assert.ok(Number.isInteger(active_ms) && active_ms > 0);
  const choice = answer.json.choices[0];
  const { prompt_tokens_details: _, completion_tokens_details: __, ...usage } = answer.json.usage;
  assert.deepEqual(rest, {
    id: answer.id,
    key: { id: keyId, name: 'API key' },
    model_requested: 'chat',
    model_served: 'fanfold-tiny-chat',
    model_revision: 1,
    finish_reason: choice.finish_reason,
    usage,
    prompt_preview: 'So?',
    answer_preview: choice.message.content,
    messages,
    tools,
    params: {
      max_tokens: 8,
      temperature: 0,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      seed: 7,
      stop: ['zzz'],
      reasoning_effort: 'none',
      response_format: { type: 'text' },
      tool_choice: 'none',
      parallel_tool_calls: true,
    },
    answer: choice.message,
  });
  assert.ok(!detail.text.includes(key));
});

test('streamed answers and legacy completions are kept with the words that the caller got', async () => {
  const { chat, savedCalls, saved, key, slug } = await someone();
  const streamed = await chat('Hello!', { stream: true });
  const words = readFrames(streamed.text).map(({ choices }) => choices[0]?.delta.content ?? '');
  const completed = await ask(key, 'POST', `/api/projects/${slug}/chat/openai/v1/completions`, {
    model: 'chat',
    prompt: ['Good', 'morning!'],
    max_tokens: 8,
    reasoning_effort: 'none',
  });
  await savedCalls(2);
  const [first, second] = [await saved(`/${streamed.id}`), await saved(`/${completed.id}`)];
  assert.equal(first.json.answer.content, words.join(''));
  assert.deepEqual(second.json.messages, [{ role: 'user', content: 'Good morning!' }]);
  assert.equal(second.json.answer.content, completed.json.choices[0].text);
});

test('a project keeps nothing unless it was told to, nothing of its neighbours, and nothing once it is told not to', async () => {
  const [quiet, keeper] = [await someone({ autoSave: false }), await someone()];
  const { projectId } = await seedProject(db.database, { accountId: keeper.accountId, slug: 'other' });
  await seedAlias(db.database, app.models, { projectId, alias: 'chat' });
  assert.equal((await quiet.chat('one')).status, 200);
  assert.equal((await keeper.chat('two', {}, keeper.slug, 'other')).status, 200);
  await settle(keeper);
  assert.equal((await quiet.saved()).json.total_count, 0);
  assert.equal((await keeper.saved()).json.total_count, 1);
  await keeper.saves(false);
  assert.equal((await keeper.chat('three')).status, 200);
  await keeper.saves(true);
  assert.equal((await keeper.chat('four')).status, 200);
  const rows = await keeper.savedCalls(2);
  assert.deepEqual(
    rows.map(({ prompt_preview }: { prompt_preview: string }) => prompt_preview),
    ['four', 'a call that is kept marks the time'],
  );
});

test('what others say to a model of the project is not for its owner', async () => {
  const [owner, guest] = [await someone(), await someone({ autoSave: false })];
  const { projectId } = await seedProject(db.database, {
    accountId: owner.accountId,
    slug: 'open',
    visibility: 'public',
  });
  await seedAlias(db.database, app.models, { projectId, alias: 'chat', visibility: 'public' });
  await ask(owner.key, 'PATCH', `/api/v1/projects/${owner.slug}/open`, { inference_auto_save: true });
  assert.equal((await guest.chat('a secret of the guest', {}, owner.slug, 'open')).status, 200);
  assert.equal((await owner.chat('my own words', {}, owner.slug, 'open')).status, 200);
  const list = `/api/v1/projects/${owner.slug}/open/saved-calls`;
  for (let tries = 0; tries < 3_000 && (await ask(owner.key, 'GET', list)).json.total_count === 0; tries++)
    await sleep(20);
  const { json, text } = await ask(owner.key, 'GET', list);
  assert.equal(json.total_count, 1);
  assert.ok(!text.includes('secret'));
  assert.equal((await ask(guest.key, 'GET', list)).status, 404);
});

test('embedding projects cannot keep calls, and their calls are not kept', async () => {
  const { key, slug, accountId, ...keeper } = await someone();
  const { status, json } = await ask(key, 'PATCH', `/api/v1/projects/${slug}/search`, { inference_auto_save: true });
  assert.deepEqual([status, json.error.code], [409, 'kind_mismatch']);
  const body = { model: 'search', input: 'lamp' };
  assert.equal((await ask(key, 'POST', `/api/projects/${slug}/search/openai/v1/embeddings`, body)).status, 200);
  await settle({ key, slug, accountId, ...keeper });
  const [row] = await db.database.query<{ calls: bigint }>(
    'select count(*) as calls from saved_calls where account_id = $1',
    [accountId],
  );
  assert.equal(row?.calls, 1n);
});

test('refused calls and answers that their caller left are not kept', async () => {
  const keeper = await someone();
  assert.equal((await keeper.chat('x', { max_tokens: 100_000 })).status, 400);
  const controller = new AbortController();
  const response = await fetch(`${app.origin}/api/projects/${keeper.slug}/chat/openai/v1/chat/completions`, {
    method: 'POST',
    headers: { ...bearer(keeper.key), 'content-type': 'application/json' },
    body: JSON.stringify({ ...longAnswer, model: 'chat', messages: [{ role: 'user', content: 'Go on.' }] }),
    signal: controller.signal,
  });
  assert.equal(response.status, 200);
  controller.abort();
  await settle(keeper);
  const { json } = await keeper.saved();
  assert.deepEqual([json.total_count, json.data[0].prompt_preview], [1, 'a call that is kept marks the time']);
});

test('every text that a call may hold is kept to the letter, and its preview ends between characters', async () => {
  const { chat, savedCalls, saved } = await someone();
  const strange = `${'🔑'.repeat(250)} "'\\ \u202e 字符 e\u0301 \u0001\u001f \uffff %_ {} $1`;
  const answer = await chat(strange);
  assert.equal(answer.status, 200, answer.text);
  await savedCalls(1);
  const { json } = await saved(`/${answer.id}`);
  assert.equal(json.messages[0].content, strange);
  assert.equal(json.prompt_preview, '🔑'.repeat(200));
  assert.equal((await saved(`?q=${encodeURIComponent('字符 é')}`)).json.total_count, 1);
});

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
  for (const [query, param] of [
    ['?from=yesterday', 'from'],
    ['?to=', 'to'],
    ['?q=', 'q'],
    [`?q=${'x'.repeat(201)}`, 'q'],
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
  await db.database.query("update saved_calls set created_at = now() - interval '30 days' where request_id = $1", [
    old.id,
  ]);
  assert.deepEqual(
    (await saved()).json.data.map(({ id }: { id: string }) => id),
    [young.id],
  );
  assert.deepEqual([(await saved(`/${old.id}`)).status, (await remove(`/${old.id}`)).status], [404, 404]);
  assert.equal((await saved('?from=2000-01-01T00:00:00Z')).json.total_count, 1);
  const sweeps = Array.from({ length: 4 }, () => createSweep({ sql: db.database, retentionDays: 30 }));
  await Promise.all(sweeps.map(({ tend }) => tend()));
  const rows = await db.database.query<{ id: string }>(
    'select request_id as id from saved_calls where account_id = $1',
    [accountId],
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    [young.id],
  );
});

test('a call is answered and charged also when it cannot be saved', async () => {
  const { chat, saved } = await someone();
  await db.database.query('alter table saved_calls rename to saved_calls_away');
  const answers = await Promise.all([chat('one'), chat('two', { stream: true })]).finally(() =>
    db.database.query('alter table saved_calls_away rename to saved_calls'),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const charged = await db.database.query("select from ledger where type = 'inference' and request_id = any($1)", [
    answers.map(({ id }) => id),
  ]);
  assert.equal(charged.length, 2);
  assert.equal((await chat('three')).status, 200);
  for (let tries = 0; tries < 3_000 && (await saved('?q=three')).json.total_count === 0; tries++) await sleep(20);
  assert.equal((await saved('?q=three')).json.total_count, 1);
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
  const [owner, { accountId }] = [await someone(), await seedAccount(db.database)];
  const { key } = await seedKey(db.database, { accountId });
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/req_00000000000000000000000000'],
    ['DELETE', '?all=true'],
    ['DELETE', '/req_00000000000000000000000000'],
  ] as const)
    assert.equal((await ask(key, method, `${owner.base}/saved-calls${path}`)).status, 404);
});
