import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { putRoute } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { someone } from './chats.fixture.ts';

type Sent = { messages: { role: string; content: unknown }[] };

let upstream: Server;
let db: TestDatabase;
let app: TestApp;
const asked: Sent[] = [];

const bytesOf = (text: string) => Buffer.from(`\x89PNG\r\n\x1a\n${text}`, 'latin1');
const urlOf = (text: string) => `data:image/png;base64,${bytesOf(text).toString('base64')}`;
const imageBytes = 2_000;

before(async () => {
  upstream = createServer(async (request, response) => {
    if (request.method === 'GET') return void response.end('{"data":[]}');
    // as: our own server asks.
    asked.push((await json(request)) as Sent);
    const frame = { choices: [{ index: 0, delta: { content: 'A fan.' }, finish_reason: 'stop' }] };
    const usage = { choices: [], usage: { prompt_tokens: 700, completion_tokens: 2 } };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const frames = [frame, usage].map((each) => `data: ${JSON.stringify(each)}\n\n`);
    response.end(`${frames.join('')}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  db = await createTestDatabase();
  // as: it listens on a port.
  const { port } = upstream.address() as AddressInfo;
  await putRoute(db.database, {
    id: 'sees',
    api: 'openai',
    baseModelId: 'qwen3-0.6b',
    url: `http://127.0.0.1:${port}/v1`,
    upstreamModel: 'sees',
    secretSource: null,
    capacity: 4,
    weight: 1,
    draining: false,
    vision: true,
  });
  app = await startApp(db.database, { chats: { imageBytes } });
});

after(async () => {
  await app?.stop();
  upstream?.closeAllConnections();
  upstream?.close();
  await db?.drop();
});

async function viewer() {
  const person = await someone({ db, app, dataDir: '', stop: async () => {} });
  return { ...person, chatId: await person.newChat({ model: 'qwen3-0.6b' }) };
}

const partsOf = (sent: Sent | undefined) => sent?.messages.map(({ content }) => content);
const part = (url: string) => ({ type: 'image_url', image_url: { url } });
const text = (said: string) => ({ type: 'text', text: said });

test('images are sent with a message and again with later ones, and stored once', async () => {
  const { ask, say, messages, chatId } = await viewer();
  const said = await say(chatId, 'What is it?', { images: [urlOf('one'), urlOf('two')] });
  assert.equal(said.status, 201, said.text);
  assert.deepEqual(partsOf(asked.at(-1)), [[part(urlOf('one')), part(urlOf('two')), text('What is it?')]]);
  await say(chatId, 'And its colour?');
  assert.deepEqual(partsOf(asked.at(-1)), [
    [part(urlOf('one')), part(urlOf('two')), text('What is it?')],
    'A fan.',
    'And its colour?',
  ]);
  const [question, , , answer] = await messages(chatId);
  const ids = question.images.map(({ id }: { id: string }) => id);
  assert.deepEqual(
    question.images.map(({ media_type, bytes }: Record<string, unknown>) => [media_type, bytes]),
    [
      ['image/png', 11],
      ['image/png', 11],
    ],
  );
  assert.deepEqual(
    answer.request.messages[0].content.slice(0, 2),
    ids.map((id: string) => part(`chat-image:${id}`)),
  );
  assert.deepEqual(said.json.user_message, question);
  const { status, headers, text: sent } = await ask('GET', `chats/${chatId}/images/${ids[0]}`);
  assert.deepEqual([status, headers.get('content-type')], [200, 'image/png']);
  assert.deepEqual(
    [headers.get('x-content-type-options'), headers.get('content-security-policy')],
    ['nosniff', "default-src 'none'; sandbox"],
  );
  assert.ok(sent.endsWith('one'));
});

test('an image needs no text, an edited message keeps its images, and dropped messages take theirs along', async () => {
  const { ask, say, messages, chatId } = await viewer();
  const alone = await ask('POST', `chats/${chatId}/messages`, { images: [urlOf('one')], stream: false });
  assert.equal(alone.status, 201, alone.text);
  assert.deepEqual(partsOf(asked.at(-1)), [[part(urlOf('one'))]]);
  const { id } = alone.json.user_message;
  await say(chatId, 'Edited', { replace_message_id: id });
  assert.deepEqual(partsOf(asked.at(-1)), [[part(urlOf('one')), text('Edited')]]);
  const [edited] = await messages(chatId);
  await say(chatId, 'Without', { replace_message_id: edited.id, images: [] });
  assert.deepEqual(partsOf(asked.at(-1)), ['Without']);
  const path = `chats/${chatId}/images/${edited.images[0].id}`;
  assert.equal((await ask('GET', path)).status, 404);
});

test('a call gets the last eight images of a chat', async () => {
  const { say, chatId } = await viewer();
  const many = (name: string, count: number) => Array.from({ length: count }, (_, at) => urlOf(`${name}${at}`));
  await say(chatId, 'First', { images: many('a', 3) });
  await say(chatId, 'Then', { images: many('b', 7) });
  const [first, , then] = partsOf(asked.at(-1)) ?? [];
  assert.deepEqual(first, [text('[image]'), text('[image]'), part(urlOf('a2')), text('First')]);
  assert.deepEqual(then, [...many('b', 7).map(part), text('Then')]);
});

test('what is no image, too many, too much and a model without vision are refused', async () => {
  const { ask, say, newChat, chatId } = await viewer();
  const refusal = async (images: string[], chat = chatId) => {
    const { status, json: answer } = await say(chat, 'What is it?', { images });
    return [status, answer.error.code, answer.error.param ?? answer.error.details];
  };
  const svg = `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`;
  for (const wrong of [svg, 'https://example.com/fan.png', 'data:image/png;base64,AAAA'])
    assert.deepEqual(await refusal([urlOf('one'), wrong]), [400, 'invalid_request', 'images[1]'], wrong);
  const [status] = await refusal(Array.from({ length: 9 }, () => urlOf('one')));
  assert.equal(status, 400);
  const blind = await newChat();
  assert.deepEqual((await refusal([urlOf('one')], blind)).slice(0, 2), [400, 'invalid_request']);
  const full = { reason: 'image_storage', max_bytes: imageBytes };
  const large = urlOf('x'.repeat(1_500));
  assert.equal((await say(chatId, 'Large', { images: [large] })).status, 201);
  assert.deepEqual(await refusal([large]), [409, 'state_conflict', full]);
  assert.equal((await ask('DELETE', `chats/${chatId}`)).status, 204);
  assert.equal((await say(await newChat({ model: 'qwen3-0.6b' }), 'Large', { images: [large] })).status, 201);
});

test('many images at once never take more storage than there is', async () => {
  const { newChat, say, accountId } = await viewer();
  const chats = await Promise.all(Array.from({ length: 6 }, () => newChat({ model: 'qwen3-0.6b' })));
  const large = urlOf('x'.repeat(900));
  const statuses = await Promise.all(chats.map(async (id) => (await say(id, 'Large', { images: [large] })).status));
  assert.deepEqual(statuses.toSorted(), [201, 201, 409, 409, 409, 409]);
  const [row] = await db.database.query<{ total: number }>(
    'select sum(bytes)::integer as total from chat_images where account_id = $1',
    [accountId],
  );
  assert.equal(row?.total, 2 * 908);
});
