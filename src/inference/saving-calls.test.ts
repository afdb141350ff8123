import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseExactJson } from '#kernel';
import { bearer, seedProject } from '#test/accounts.ts';
import { longAnswer } from '#test/long-answer.ts';
import { readFrames } from '#test/sse.ts';
import { seedAlias } from '#test/tenants.ts';
import { openKeeping } from './saved-calls.fixture.ts';

const { database, app, close, ask, someone, settle } = await openKeeping();
after(close);

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

test('a schema keeps its digits and the order of its names on the way to the model, and where the call is kept', async () => {
  const { chat, savedCalls, saved } = await someone();
  const properties =
    '{"reason":{"const":9007199254740993},"10":{"enum":[12345678901234567890]},"2":{"type":"integer","minimum":1.0,"maximum":1}}';
  const schema = parseExactJson(`{"type":"object","properties":${properties},"required":["reason","10","2"]}`);
  const tools = [{ type: 'function', function: { name: 'look', parameters: schema } }];
  const answered = await chat('Hi', {
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema } },
    tools,
    tool_choice: 'none',
    max_tokens: 200,
  });
  const expected = /\{\s*"reason":\s*9007199254740993,\s*"10":\s*12345678901234567890,\s*"2":\s*1\s*\}/;
  assert.equal(answered.status, 200, answered.text);
  assert.match(answered.json.choices[0].message.content, expected);
  const called = await chat('Hi', { tools, tool_choice: 'required', parallel_tool_calls: false, max_tokens: 200 });
  assert.match(called.json.choices[0].message.tool_calls[0].function.arguments, expected);
  for (const { id } of await savedCalls(2)) {
    const { text } = await saved(`/${id}`);
    assert.ok(text.includes(`"properties":${properties}`), text);
  }
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
  const { projectId } = await seedProject(database, { accountId: keeper.accountId, slug: 'other' });
  await seedAlias(database, app.models, { projectId, alias: 'chat' });
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
  const { projectId } = await seedProject(database, {
    accountId: owner.accountId,
    slug: 'open',
    visibility: 'public',
  });
  await seedAlias(database, app.models, { projectId, alias: 'chat', visibility: 'public' });
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
  const [row] = await database.query<{ calls: bigint }>(
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

test('a call is answered and charged also when it cannot be saved', async () => {
  const { chat, saved } = await someone();
  await database.query('alter table saved_calls rename to saved_calls_away');
  const answers = await Promise.all([chat('one'), chat('two', { stream: true })]).finally(() =>
    database.query('alter table saved_calls_away rename to saved_calls'),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  const charged = await database.query("select from ledger where type = 'inference' and request_id = any($1)", [
    answers.map(({ id }) => id),
  ]);
  assert.equal(charged.length, 2);
  assert.equal((await chat('three')).status, 200);
  for (let tries = 0; tries < 3_000 && (await saved('?q=three')).json.total_count === 0; tries++) await sleep(20);
  assert.equal((await saved('?q=three')).json.total_count, 1);
});
