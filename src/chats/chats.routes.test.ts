import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

test('a chat is made, read, changed field by field, archived and deleted', async () => {
  const { ask } = await someone(server);
  const made = await ask('POST', 'chats', {
    title: 'Lamps',
    model: 'chat',
    system_prompt: 'Be brief.',
    params: { temperature: 0.5 },
  });
  assert.equal(made.status, 201, made.text);
  const { id, created_at: _, updated_at: __, ...rest } = made.json;
  assert.deepEqual(rest, {
    title: 'Lamps',
    model: 'chat',
    system_prompt: 'Be brief.',
    params: {
      max_tokens: 1024,
      temperature: 0.5,
      top_p: 1,
      reasoning_effort: null,
      tools: null,
      response_format: null,
      top_k: null,
      seed: null,
      stop: [],
      presence_penalty: 0,
      frequency_penalty: 0,
    },
    message_count: 0,
    last_message_at: null,
    archived_at: null,
  });
  const changed = await ask('PATCH', `chats/${id}`, { system_prompt: null, params: { max_tokens: 9 } });
  assert.deepEqual(
    [changed.json.system_prompt, changed.json.title, changed.json.params.max_tokens, changed.json.params.temperature],
    [null, 'Lamps', 9, 0.5],
  );
  const reset = await ask('PATCH', `chats/${id}`, { params: { temperature: null } });
  assert.deepEqual([reset.json.params.temperature, reset.json.params.max_tokens], [1, 9]);
  const archived = await ask('PATCH', `chats/${id}`, { archived: true });
  const again = await ask('PATCH', `chats/${id}`, { archived: true });
  assert.ok(archived.json.archived_at);
  assert.equal(again.json.archived_at, archived.json.archived_at);
  assert.equal((await ask('POST', `chats/${id}/messages`, { content: 'Hi' })).json.error.code, 'state_conflict');
  assert.equal((await ask('DELETE', `chats/${id}`)).status, 204);
  assert.equal((await ask('DELETE', `chats/${id}`)).status, 404);
  assert.equal((await ask('GET', `chats/${id}`)).status, 404);
});

test('a change that changes nothing leaves a chat as it is, its times included', async () => {
  const { ask } = await someone(server);
  const same = { title: 'Lamps', model: null, system_prompt: 'Be brief.', params: { temperature: 0.5, tools: null } };
  const { json: made } = await ask('POST', 'chats', same);
  for (const change of [{}, same, { archived: false }, { params: {} }])
    assert.deepEqual((await ask('PATCH', `chats/${made.id}`, change)).json, made, JSON.stringify(change));
  const { json: archived } = await ask('PATCH', `chats/${made.id}`, { archived: true });
  assert.notEqual(archived.updated_at, made.updated_at);
  assert.deepEqual((await ask('PATCH', `chats/${made.id}`, { archived: true })).json, archived);
});

test('chats are listed by page, title and archive, and cursors belong to their filters', async () => {
  const { ask, newChat } = await someone(server);
  for (const title of ['A red Lamp', 'A sofa', 'A blue lamp']) await newChat({ title });
  const hidden = await newChat({ title: 'An old lamp' });
  await ask('PATCH', `chats/${hidden}`, { archived: true });
  const first = await ask('GET', 'chats?limit=2');
  assert.deepEqual(
    [first.json.total_count, first.json.data.map(({ title }: { title: string }) => title)],
    [3, ['A blue lamp', 'A sofa']],
  );
  const cursor = encodeURIComponent(first.json.next_cursor);
  const second = await ask('GET', `chats?limit=2&cursor=${cursor}`);
  assert.deepEqual([second.json.data[0].title, second.json.next_cursor], ['A red Lamp', null]);
  assert.equal((await ask('GET', 'chats?q=LAMP')).json.total_count, 2);
  assert.equal((await ask('GET', 'chats?archived=true')).json.data[0].id, hidden);
  assert.equal((await ask('GET', `chats?q=lamp&cursor=${cursor}`)).json.error.code, 'invalid_cursor');
});

test('what a chat cannot be is refused with the name of the field', async () => {
  const { ask, slug, newChat } = await someone(server);
  const tool = { type: 'function', function: { name: 'look' } };
  for (const [body, status, param] of [
    [{ title: 'a\nb' }, 400, 'title'],
    [{ title: 5 }, 422, 'title'],
    [{ params: { temperature: 3 } }, 400, 'params.temperature'],
    [{ params: { max_tokens: 0 } }, 400, 'params.max_tokens'],
    [{ params: { tools: [tool, tool] } }, 400, 'params.tools[1].function.name'],
    [{ params: { reasoning_effort: 'much' } }, 400, 'params.reasoning_effort'],
    [{ model: 'a\0b' }, 400, 'model'],
    [{ system_prompt: '\ud800' }, 400, 'system_prompt'],
    [{ system_prompt: 'x'.repeat(8001) }, 400, 'system_prompt'],
  ] as const) {
    const made = await ask('POST', 'chats', body);
    assert.deepEqual([made.status, made.json.error.param], [status, param], `${JSON.stringify(body)} ${made.text}`);
  }
  const other = await ask('POST', `/api/v1/projects/${slug}/search/chats`, {});
  assert.deepEqual([other.status, other.json.error.code], [409, 'kind_mismatch']);
  const id = await newChat({ model: null });
  const silent = await ask('POST', `chats/${id}/messages`, { content: 'Hi' });
  assert.deepEqual([silent.status, silent.json.error.param], [400, 'model']);
  const bad = await ask('POST', `chats/${id}/messages`, { content: 'a\0b' });
  assert.deepEqual([bad.status, bad.json.error.param], [400, 'content']);
});
