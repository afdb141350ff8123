import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '#test/accounts.ts';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [
  { type: 'function', function: { name: 'get_time', description: 'Get the local time of a city.', parameters } },
];
const model = 'fanfold-tiny-chat';

test('an answer that calls tools goes on with their results, once, also when they are sent again', async () => {
  const { ask, newChat, say, messages, key } = await someone(server);
  const chatId = await newChat({ model, params: { temperature: 0, max_tokens: 200, tools } });
  const { json: asked, text: body } = await say(chatId, 'Which time is it in Tunis?');
  const [call] = asked.message.tool_calls ?? [];
  assert.equal(call?.function.name, 'get_time', body);

  const send = (tool_results: object, extra: object = {}, headers = {}) =>
    ask(
      'POST',
      `chats/${chatId}/messages`,
      { tool_results, stream: false, ...extra },
      { headers: { ...bearer(key), ...headers } },
    );
  const result = { tool_call_id: call.id, content: '14:05' };
  for (const [wrong, extra, param] of [
    [[{ ...result, tool_call_id: 'call_other' }], {}, 'tool_results'],
    [[result, result], {}, 'tool_results'],
    [[result], { content: 'And then?' }, 'tool_results'],
    [[result], { replace_message_id: asked.user_message.id }, 'replace_message_id'],
    [[{ ...result, content: 'a\0b' }], {}, 'tool_results[0].content'],
  ] as const) {
    const refused = await send(wrong, extra);
    assert.deepEqual([refused.status, refused.json.error.param], [400, param], refused.text);
  }
  const missing = await ask('POST', `chats/${chatId}/messages`, { stream: false });
  assert.deepEqual([missing.status, missing.json.error.param], [400, 'content']);
  assert.equal((await messages(chatId)).length, 2);

  const headers = { 'idempotency-key': 'results' };
  const answered = await send([result], {}, headers);
  assert.equal(answered.status, 201, answered.text);
  assert.partialDeepStrictEqual(answered.json.user_message, { role: 'tool', content: '14:05', tool_call_id: call.id });
  assert.partialDeepStrictEqual(answered.json.message.request.messages.slice(-2), [
    { role: 'assistant', tool_calls: [{ id: call.id }] },
    { role: 'tool', content: '14:05', tool_call_id: call.id },
  ]);
  const repeated = await send([result], {}, headers);
  assert.deepEqual(repeated.json, answered.json);
  assert.deepEqual(
    (await messages(chatId)).map(({ role }: { role: string }) => role),
    ['user', 'assistant', 'tool', 'assistant'],
  );

  const late = await send([result]);
  assert.deepEqual([late.status, late.json.error.details.reason], [409, 'no_tool_calls']);
});

test('stop, seed, top_k, penalties and the form of the answer reach the model, and null takes them back', async () => {
  const { ask, newChat, say } = await someone(server);
  const schema = { type: 'object', properties: { done: { type: 'boolean' } }, required: ['done'] };
  const response_format = { type: 'json_schema', json_schema: { name: 'done', schema } };
  const own = { stop: ['###'], seed: 7, top_k: 5, presence_penalty: 0.5, frequency_penalty: -0.5, response_format };
  const chatId = await newChat({ model, params: { max_tokens: 60, reasoning_effort: 'none', ...own } });
  const { json } = await say(chatId, 'Are you done?');
  assert.partialDeepStrictEqual(json.message.request, own);
  assert.equal(typeof JSON.parse(json.message.content).done, 'boolean');
  const none = Object.fromEntries(Object.keys(own).map((name) => [name, null]));
  const reset = await ask('PATCH', `chats/${chatId}`, { params: none });
  assert.partialDeepStrictEqual(reset.json.params, { stop: [], seed: null, top_k: null, response_format: null });
  const again = await say(chatId, 'And now?');
  assert.deepEqual(
    Object.keys(own).filter((name) => name in again.json.message.request),
    [],
  );
  const wrong = await ask('PATCH', `chats/${chatId}`, { params: { top_k: -7 } });
  assert.deepEqual([wrong.status, wrong.json.error.param], [400, 'params.top_k']);
});
