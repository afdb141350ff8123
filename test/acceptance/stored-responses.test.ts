import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** An unmodified OpenAI client goes on from responses that the running program has stored. */
let database: TestDatabase;
let program: Program;
let client: OpenAI;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  const baseURL = `${program.url}/api/projects/local/chat/openai/v1`;
  client = new OpenAI({ baseURL, apiKey: program.key ?? '', maxRetries: 20 });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

const hello = { model: 'chat', input: 'Hello!', temperature: 0 };

test('a stored response is read as it was answered, whole and as a stream, listed and deleted', async () => {
  const answer = await client.responses.create({ ...hello, metadata: { topic: 'greeting' } });
  const read = await client.responses.retrieve(answer.id);
  const plain = (response: OpenAI.Responses.Response) => ({ ...response, _request_id: null });
  assert.deepEqual(plain(read), plain(answer));
  const stream = await client.responses.retrieve(answer.id, { stream: true });
  const types: string[] = [];
  for await (const event of stream) {
    assert.equal(event.sequence_number, types.length);
    types.push(event.type);
    if (event.type === 'response.completed') assert.deepEqual(event.response.output, answer.output);
  }
  assert.deepEqual([types[0], types.at(-1)], ['response.created', 'response.completed']);
  const rest = await client.responses.retrieve(answer.id, { stream: true, starting_after: types.length - 2 });
  for await (const event of rest) assert.equal(event.type, 'response.completed');
  const items = await client.responses.inputItems.list(answer.id);
  const [item] = items.data;
  assert.ok(item?.type === 'message' && 'role' in item && item.role === 'user');
  assert.deepEqual(item.content, [{ type: 'input_text', text: 'Hello!' }]);
  await assert.rejects(client.responses.cancel(answer.id), OpenAI.BadRequestError);
  await client.responses.delete(answer.id);
  await assert.rejects(client.responses.retrieve(answer.id), OpenAI.NotFoundError);
  await assert.rejects(client.responses.delete(answer.id), OpenAI.NotFoundError);
  await assert.rejects(client.responses.inputItems.list(answer.id), OpenAI.NotFoundError);
});

test('the input of a response is listed in pages, in either order', async () => {
  const input = ['a', 'b', 'c', 'd', 'e'].map((content) => ({ role: 'user' as const, content }));
  const answer = await client.responses.create({ ...hello, input, max_output_tokens: 2 });
  for (const order of ['asc', 'desc'] as const) {
    const texts: unknown[] = [];
    for await (const item of client.responses.inputItems.list(answer.id, { order, limit: 2 }))
      texts.push(item.type === 'message' && 'content' in item ? Reflect.get(item.content[0] ?? {}, 'text') : null);
    const all = ['a', 'b', 'c', 'd', 'e'];
    assert.deepEqual(texts, order === 'asc' ? all : all.toReversed());
  }
  await assert.rejects(client.responses.inputItems.list(answer.id, { limit: 0 }), OpenAI.BadRequestError);
  await assert.rejects(client.responses.inputItems.list(answer.id, { after: 'msg_x' }), OpenAI.BadRequestError);
});

test('a response follows another by its id, with all that was said before and without its instructions', async () => {
  const settings = { model: 'chat', temperature: 0, reasoning: { effort: 'none' as const } };
  const first = await client.responses.create({ ...settings, input: 'Hello!', instructions: 'Be brief.' });
  const second = await client.responses.create({ ...settings, input: 'And you?', previous_response_id: first.id });
  assert.equal(second.previous_response_id, first.id);
  const whole = await client.responses.create({
    ...settings,
    input: [
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: first.output_text },
      { role: 'user', content: 'And you?' },
    ],
  });
  assert.equal(second.usage?.input_tokens, whole.usage?.input_tokens);
  const counted = await client.responses.inputTokens.count({
    model: 'chat',
    input: 'And you?',
    previous_response_id: first.id,
    reasoning: { effort: 'none' },
  });
  assert.equal(counted.input_tokens, second.usage?.input_tokens);
  await client.responses.delete(first.id);
  await assert.rejects(
    client.responses.create({ ...settings, input: 'x', previous_response_id: second.id }),
    (error: unknown) => error instanceof OpenAI.BadRequestError && error.code === 'previous_response_not_found',
  );
});

test('items are referred to by their ids, also those of a stream that has just ended', async () => {
  const stream = client.responses.stream(hello);
  const answer = await stream.finalResponse();
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: 'Hello!' },
    ...answer.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' })),
    { role: 'user', content: 'Go on.' },
  ];
  const next = await client.responses.create({ ...hello, input });
  const items = await client.responses.inputItems.list(next.id, { order: 'asc' });
  assert.deepEqual(
    items.data.map(({ type }) => type),
    ['message', ...answer.output.map(({ type }) => type), 'message'],
  );
});

test('what is sent again under its key is answered from the same response, whole and as a stream', async () => {
  for (const stream of [false, true]) {
    const ids: string[] = [];
    for (const _ of [1, 2]) {
      const headers = { 'Idempotency-Key': `again-${stream}` };
      if (!stream) ids.push((await client.responses.create(hello, { headers })).id);
      else
        for await (const event of await client.responses.create({ ...hello, stream: true }, { headers }))
          if (event.type === 'response.completed') ids.push(event.response.id);
    }
    assert.equal(ids.length, 2);
    assert.equal(ids[0], ids[1]);
  }
});

test('what nobody wants stored is not, and neither is what was refused', async () => {
  const answer = await client.responses.create({ ...hello, store: false });
  await assert.rejects(client.responses.retrieve(answer.id), OpenAI.NotFoundError);
  const follows = { ...hello, previous_response_id: answer.id };
  await assert.rejects(client.responses.create(follows), OpenAI.BadRequestError);
});
