import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer } from '#test/accounts.ts';
import { seedSession } from '#test/sessions.ts';
import { readFrames } from '#test/sse.ts';
import { type ChatsServer, someone, startChatsServer } from './chats.fixture.ts';

let server: ChatsServer;

before(async () => {
  server = await startChatsServer();
});

after(() => server?.stop());

test('an answer is streamed, kept with what it cost, and its request makes the same answer elsewhere', async () => {
  const { ask, newChat, messages, slug } = await someone(server);
  const chatId = await newChat({ system_prompt: 'Answer briefly.' });
  const stream = await ask('POST', `chats/${chatId}/messages`, { content: 'What is the capital of France?' });
  assert.equal(stream.status, 200, stream.text);
  assert.ok(stream.text.endsWith('data: [DONE]\n\n'));
  const frames = readFrames(stream.text);
  const text = frames.map((frame) => frame.choices[0]?.delta.content ?? '').join('');
  const [question, answer] = await messages(chatId);
  assert.deepEqual(
    [stream.headers.get('x-fnf-user-message-id'), stream.headers.get('x-fnf-message-id')],
    [question.id, answer.id],
  );
  assert.deepEqual([question.content, question.state, question.seq], ['What is the capital of France?', 'complete', 1]);
  assert.deepEqual([answer.content, answer.state, answer.attempt], [text, 'complete', 1]);
  assert.deepEqual(answer.usage, frames.at(-1)?.usage);
  const record = await ask('GET', `/api/v1/requests/${answer.request_id}`);
  assert.deepEqual([record.json.credits, record.json.active_ms], [answer.credits, answer.active_ms]);
  assert.notEqual(answer.credits, '0.000000');
  const same = await ask('POST', `/api/projects/${slug}/chat/openai/v1/chat/completions`, {
    ...answer.request,
    stream: false,
  });
  assert.equal(same.json.choices[0].message.content, text);
  assert.deepEqual(answer.request.messages, [
    { role: 'system', content: 'Answer briefly.' },
    { role: 'user', content: 'What is the capital of France?' },
  ]);
  const chat = await ask('GET', `chats/${chatId}`);
  assert.deepEqual([chat.json.title, chat.json.message_count], ['What is the capital of France?', 2]);
});

test('a conversation goes on with what was said, and its messages are read page by page', async () => {
  const { ask, newChat, say } = await someone(server);
  const chatId = await newChat();
  const first = await say(chatId, 'What is 2 + 3?');
  assert.equal(first.status, 201, first.text);
  const second = await say(chatId, 'And 3 + 4?', { params: { temperature: 0.1 } });
  const { request } = second.json.message;
  assert.deepEqual(request.messages, [
    { role: 'user', content: 'What is 2 + 3?' },
    { role: 'assistant', content: first.json.message.content },
    { role: 'user', content: 'And 3 + 4?' },
  ]);
  assert.deepEqual([request.temperature, request.stream], [0.1, false]);
  const page = await ask('GET', `chats/${chatId}/messages?limit=3`);
  assert.deepEqual([page.json.data.length, page.json.total_count], [3, 4]);
  const rest = await ask('GET', `chats/${chatId}/messages?cursor=${encodeURIComponent(page.json.next_cursor)}`);
  assert.deepEqual(rest.json.data, [second.json.message]);
  const other = await newChat();
  const foreign = await ask('GET', `chats/${other}/messages?cursor=${encodeURIComponent(page.json.next_cursor)}`);
  assert.equal(foreign.json.error.code, 'invalid_cursor');
});

test('who is signed in talks without a key, and pays', async () => {
  const { ask, newChat, accountId, base } = await someone(server);
  const chatId = await newChat();
  const session = await seedSession(server.db.database, { accountId });
  const body = { content: 'Hello!', stream: false };
  const path = `${base}/chats/${chatId}/messages`;
  const { status, json, text } = await ask('POST', path, body, { headers: session.headers });
  assert.equal(status, 201, text);
  const usage = await ask('GET', '/api/v1/credits/usage');
  const row = usage.json.data.find((each: { request_id: string }) => each.request_id === json.message.request_id);
  assert.deepEqual([row.key, row.credits.replace('-', '')], [null, json.message.credits]);
  const unsigned = await ask('POST', path, body, { headers: { cookie: session.cookie } });
  assert.equal(unsigned.status, 403, unsigned.text);
});

test('of many messages at once one is answered, and the others are told to wait', async () => {
  const { newChat, say, messages } = await someone(server);
  const chatId = await newChat();
  const answers = await Promise.all(Array.from({ length: 6 }, () => say(chatId, 'What is 1 + 1?')));
  const statuses = answers.map(({ status, json }) => (status === 201 ? '201' : json.error.code));
  const made = statuses.filter((status) => status === '201').length;
  assert.ok(made >= 1, statuses.join());
  assert.equal(statuses.filter((status) => status === 'state_conflict').length, 6 - made);
  assert.equal((await messages(chatId)).length, 2 * made);
});

test('an edited message takes the place of the old one and of all that followed', async () => {
  const { ask, newChat, say, messages } = await someone(server);
  const chatId = await newChat();
  const first = await say(chatId, 'What is 2 + 2?');
  const second = await say(chatId, 'What is 4 + 4?');
  const wrong = await say(chatId, 'x', { replace_message_id: second.json.message.id });
  assert.deepEqual([wrong.status, wrong.json.error.param], [400, 'replace_message_id']);
  const edited = await say(chatId, 'What is 3 + 3?', { replace_message_id: first.json.user_message.id });
  assert.equal(edited.status, 201, edited.text);
  const left = await messages(chatId);
  assert.deepEqual(
    left.map(({ seq, content }: { seq: number; content: string }) => [seq, content]),
    [
      [1, 'What is 3 + 3?'],
      [2, edited.json.message.content],
    ],
  );
  assert.equal((await ask('GET', `chats/${chatId}`)).json.message_count, 2);
  const gone = await say(chatId, 'x', { replace_message_id: second.json.user_message.id });
  assert.equal(gone.json.error.code, 'not_found');
});

test('an answer that fails before it begins says so, and is tried again under the same id', async () => {
  const { ask, newChat, say, messages, alias, projectId } = await someone(server);
  await alias('starting');
  const setState = (state: string) =>
    server.db.database.query(
      `update hosted_models set state = $2, activation = case when $2 = 'warming' then '{}'::jsonb end
        where project_id = $1 and alias = 'starting'`,
      [projectId, state],
    );
  const chatId = await newChat({ model: 'no-such-model' });
  const refused = await say(chatId, 'Hello!');
  assert.deepEqual([refused.status, refused.json.error.code], [404, 'model_not_found']);
  const messageId = refused.headers.get('x-fnf-message-id');
  const [, failed] = await messages(chatId);
  assert.deepEqual(
    [failed.id, failed.state, failed.error.code, failed.error.retryable],
    [messageId, 'failed', 'model_not_found', false],
  );
  await setState('warming');
  await ask('PATCH', `chats/${chatId}`, { model: 'starting' });
  const warming = await ask('POST', `chats/${chatId}/messages/${messageId}/retry`, {});
  assert.deepEqual([warming.status, warming.json.error.code], [503, 'model_warming']);
  assert.ok(Number(warming.headers.get('retry-after')) >= 1);
  const [, waiting] = await messages(chatId);
  assert.deepEqual([waiting.state, waiting.error.retryable, waiting.attempt], ['queued', true, 2]);
  await setState('active');
  const answered = await ask('POST', `chats/${chatId}/messages/${messageId}/retry`, { stream: false });
  assert.equal(answered.status, 201, answered.text);
  const { message } = answered.json;
  assert.deepEqual([message.id, message.state, message.attempt, message.error], [messageId, 'complete', 3, null]);
});

test('a complete answer stays until a new one has begun', async () => {
  const { ask, newChat, say, messages } = await someone(server);
  const chatId = await newChat();
  const first = await say(chatId, 'What is 2 + 2?');
  const { message } = first.json;
  await ask('PATCH', `chats/${chatId}`, { model: 'no-such-model' });
  const refused = await ask('POST', `chats/${chatId}/messages/${message.id}/retry`, {});
  assert.equal(refused.status, 404);
  assert.deepEqual((await messages(chatId))[1], message);
  await ask('PATCH', `chats/${chatId}`, { model: 'chat' });
  const again = await ask('POST', `chats/${chatId}/messages/${message.id}/retry`, { params: { max_tokens: 1 } });
  assert.equal(again.status, 200, again.text);
  const [, regenerated] = await messages(chatId);
  assert.deepEqual([regenerated.attempt, regenerated.request.max_tokens, regenerated.state], [2, 1, 'complete']);
  await say(chatId, 'And 3 + 3?');
  const old = await ask('POST', `chats/${chatId}/messages/${message.id}/retry`, {});
  assert.deepEqual([old.status, old.json.error.code], [409, 'state_conflict']);
});

test('a request that is sent again under its key is answered again, not made again', async () => {
  const { ask, newChat, messages, key } = await someone(server);
  const chatId = await newChat();
  for (const stream of [true, false]) {
    const headers = { ...bearer(key), 'idempotency-key': `say ${stream}` };
    const send = () => ask('POST', `chats/${chatId}/messages`, { content: 'What is 5 + 5?', stream }, { headers });
    const [one, two] = [await send(), await send()];
    assert.deepEqual([one.status, two.status], stream ? [200, 200] : [201, 201], two.text);
    assert.equal(two.headers.get('idempotent-replay'), 'true');
    assert.equal(two.headers.get('x-fnf-message-id'), one.headers.get('x-fnf-message-id'));
    if (stream) assert.deepEqual(readFrames(two.text).at(-1), readFrames(one.text).at(-1));
    else assert.deepEqual(two.json, one.json);
  }
  assert.equal((await messages(chatId)).length, 4);
});

test('a complete answer becomes one example of a dataset, with all that was said before it', async () => {
  const { ask, newChat, say } = await someone(server);
  const other = await someone(server);
  const dataset = (await ask('POST', 'datasets', { name: 'Good answers' })).json.id;
  const foreign = (await other.ask('POST', 'datasets', { name: 'Foreign' })).json.id;
  const chatId = await newChat({ system_prompt: 'Be brief.' });
  const { message } = (await say(chatId, 'What is 2 + 3?')).json;
  const save = (body: object, of = message.id) => ask('POST', `chats/${chatId}/messages/${of}/save-example`, body);
  const saved = await save({ dataset_id: dataset, split: 'test' });
  assert.equal(saved.status, 201, saved.text);
  assert.deepEqual(
    [saved.json.origin, saved.json.origin_id, saved.json.split, saved.json.text.messages.length],
    ['chat', message.id, 'test', 3],
  );
  const again = await Promise.all([save({ dataset_id: dataset }), save({ dataset_id: dataset })]);
  for (const { status, json } of again) assert.deepEqual([status, json], [200, saved.json]);
  const { user_message: question } = (await say(chatId, 'x')).json;
  assert.equal((await save({ dataset_id: dataset }, question.id)).json.error.details.reason, 'not_an_answer');
  const { message: silent } = (await say(chatId, 'Say nothing.')).json;
  await server.db.database.query('update chat_messages set content = null where id = $1', [silent.id]);
  assert.equal((await save({ dataset_id: dataset }, silent.id)).json.error.details.reason, 'empty_answer');
  assert.equal((await save({ dataset_id: foreign })).status, 404);
  const twin = await newChat({ system_prompt: 'Be brief.' });
  const same = (await say(twin, 'What is 2 + 3?')).json.message;
  const duplicate = await ask('POST', `chats/${twin}/messages/${same.id}/save-example`, { dataset_id: dataset });
  assert.deepEqual([duplicate.status, duplicate.json.error.details.reason], [409, 'duplicate']);
});

test('an answer that has ended is rated, keeps the rating, and another attempt has none', async () => {
  const { ask, newChat, say, messages } = await someone(server);
  const chatId = await newChat();
  const { user_message: question, message } = (await say(chatId, 'What is 2 + 2?')).json;
  const rate = (id: string, rating: unknown) => ask('PATCH', `chats/${chatId}/messages/${id}`, { rating });
  assert.equal((await rate(message.id, 'up')).json.rating, 'up');
  assert.equal((await rate(message.id, 'down')).json.rating, 'down');
  assert.deepEqual(
    (await messages(chatId)).map(({ rating }: { rating: string | null }) => rating),
    [null, 'down'],
  );
  assert.equal((await rate(question.id, 'up')).json.error.details.reason, 'not_an_answer');
  assert.equal((await rate(message.id, 'great')).json.error.param, 'rating');
  assert.equal((await rate(message.id, null)).json.rating, null);
  await rate(message.id, 'up');
  const again = await ask('POST', `chats/${chatId}/messages/${message.id}/retry`, { stream: false });
  assert.equal(again.json.message.rating, null, again.text);
});

test('an edited answer becomes an example of its own, beside that of the answer itself', async () => {
  const { ask, newChat, say } = await someone(server);
  const { id: datasetId } = (await ask('POST', 'datasets', { name: 'Edited' })).json;
  const chatId = await newChat();
  const { message } = (await say(chatId, 'What is 2 + 2?')).json;
  const save = (body: object) =>
    ask('POST', `chats/${chatId}/messages/${message.id}/save-example`, { dataset_id: datasetId, ...body });
  const edited = await save({ content: 'It is 4.' });
  assert.equal(edited.status, 201, edited.text);
  assert.equal(edited.json.text.messages.at(-1).content, 'It is 4.');
  const plain = await save({});
  assert.deepEqual([plain.status, plain.json.text.messages.at(-1).content], [201, message.content]);
  assert.equal((await save({})).json.id, plain.json.id);
  assert.equal((await save({ content: 'It is 4.' })).json.error.details.reason, 'duplicate');
  assert.equal((await save({ content: 'a\0b' })).json.error.param, 'content');
});
