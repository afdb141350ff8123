import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseExactJson } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

const properties = '{"reason":{"const":9007199254740993},"10":{"minimum":1.0,"maximum":1e400},"2":{"enum":[0.10,-0]}}';
const toolsText = (of = properties) =>
  `[{"type":"function","function":{"name":"look","parameters":{"type":"object","properties":${of}}}}]`;
/** As the fixture sends it: the text itself. */
const tools = (of?: string) => parseExactJson(toolsText(of));

test('tools of a chat are kept and shown with the digits and the order of names that were sent', async () => {
  const { ask } = await someone(server);
  const made = await ask('POST', 'chats', { model: 'chat', params: { temperature: 0.5, tools: tools() } });
  assert.equal(made.status, 201, made.text);
  const path = `chats/${made.json.id}`;
  const reordered = '{"2":{"const":12345678901234567890},"reason":{},"10":{}}';
  for (const [of, answers] of [
    [properties, [made, await ask('GET', path), await ask('GET', 'chats')]],
    [properties, [await ask('PATCH', path, { params: { temperature: 1 } }), await ask('GET', path)]],
    [reordered, [await ask('PATCH', path, { params: { tools: tools(reordered) } }), await ask('GET', path)]],
  ] as const)
    for (const { text } of answers) assert.ok(text.includes(`"tools":${toolsText(of)}`), text);
  // Another order is another prompt.
  const turned = '{"reason":{},"2":{"const":12345678901234567890},"10":{}}';
  assert.ok((await ask('PATCH', path, { params: { tools: tools(turned) } })).text.includes(turned));
});

test('numbers of a call itself may be written in any way', async () => {
  const { send, base } = await someone(server);
  const sent = `{"model": "chat", "params": {"temperature": 1.0, "max_tokens": 1e1, "tools": ${toolsText()}}}`;
  const { status, json } = await sendText(sent);
  assert.deepEqual([status, json.params.temperature, json.params.max_tokens], [201, 1, 10]);
  const wrong = await sendText(`{"params": {"temperature": 1e400, "tools": ${toolsText()}}}`);
  assert.deepEqual([wrong.status, wrong.json.error.param], [422, 'params.temperature']);

  async function sendText(text: string) {
    // The only body that JSON.stringify leaves as it is.
    const response = await send('POST', `${base}/chats`, { toJSON: () => parseExactJson(text) });
    const json = JSON.parse(await response.text());
    return { status: response.status, json };
  }
});

test('an answer is made with these tools and tells them, also when it is repeated and when it becomes an example', async () => {
  const { ask, newChat, say, key } = await someone(server);
  const params = { reasoning_effort: 'none', max_tokens: 4, temperature: 0 };
  const chatId = await newChat({ params: { ...params, tools: tools() } });
  const expected = `"tools":${toolsText()}`;
  const first = await say(chatId, 'Hello');
  assert.equal(first.status, 201, first.text);
  assert.ok(first.text.includes(expected), first.text);
  const id = first.json.message.id;
  assert.ok((await ask('GET', `chats/${chatId}/messages`)).text.includes(expected));
  assert.ok((await ask('GET', `chats/${chatId}/messages/${id}`)).text.includes(expected));
  const own = '{"b":{},"1":{"const":1234567890123456789}}';
  const body = { content: 'And now?', stream: false, params: { tools: tools(own) } };
  const headers = { ...bearer(key), 'idempotency-key': 'now' };
  const told = await ask('POST', `chats/${chatId}/messages`, body, { headers });
  assert.ok(told.text.includes(`"tools":${toolsText(own)}`), told.text);
  const repeated = await ask('POST', `chats/${chatId}/messages`, body, { headers });
  assert.deepEqual([repeated.status, repeated.text], [told.status, told.text]);
  const { json: dataset } = await ask('POST', 'datasets', { name: 'Said', kind: 'text' });
  const saved = await ask('POST', `chats/${chatId}/messages/${id}/save-example`, { dataset_id: dataset.id });
  assert.equal(saved.status, 201, saved.text);
  const example = await ask('GET', `datasets/${dataset.id}/examples/${saved.json.id}`);
  assert.match(example.text, /"reason":\{"const":9007199254740993\},"10":.*1\.0.*1e400.*"2":.*0\.10,-0/);
});
