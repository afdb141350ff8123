import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** An unmodified Anthropic client against the running program: only base URL and key differ. */
let database: TestDatabase;
let program: Program;
let baseURL: string;
let client: Anthropic;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  baseURL = `${program.url}/api/projects/local/chat/anthropic`;
  client = new Anthropic({ baseURL, apiKey: program.key ?? '', maxRetries: 20 });
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

const hello = { model: 'chat', max_tokens: 200, messages: [{ role: 'user' as const, content: 'Hello!' }] };
const weather = {
  name: 'get_weather',
  description: 'Get the current weather for a city.',
  input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
};
const textOf = ({ content }: Anthropic.Message) =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');
const greedy = { temperature: 0 };

test('a message is answered with text first, usage and a request id', async () => {
  const { data, request_id } = await client.messages.create({ ...hello, ...greedy }).withResponse();
  assert.match(request_id ?? '', /^req_/);
  assert.match(data.id, /^msg_/);
  assert.deepEqual([data.type, data.role, data.model, data.stop_reason], ['message', 'assistant', 'chat', 'end_turn']);
  assert.equal(data.content[0]?.type, 'text');
  assert.ok(textOf(data).length > 3);
  assert.ok(data.usage.input_tokens + (data.usage.cache_read_input_tokens ?? 0) > 0 && data.usage.output_tokens > 0);
});

test('a key is taken from either field', async () => {
  const bearer = new Anthropic({ baseURL, apiKey: null, authToken: program.key ?? '' });
  assert.ok((await bearer.messages.create({ ...hello, max_tokens: 1 })).id);
  const statusWith = async (headers: Record<string, string>) => {
    const body = JSON.stringify({ ...hello, max_tokens: 1 });
    const fields = { 'content-type': 'application/json', ...headers };
    return (await fetch(`${baseURL}/v1/messages?beta=true`, { method: 'POST', headers: fields, body })).status;
  };
  const key = program.key ?? '';
  assert.equal(await statusWith({ 'x-api-key': key, authorization: 'Bearer something-else' }), 200);
  assert.equal(await statusWith({ 'x-api-key': 'something-else', authorization: `Bearer ${key}` }), 200);
  assert.equal(await statusWith({ 'x-api-key': key, 'anthropic-beta': 'unknown-1,unknown-2' }), 200);
  assert.equal(await statusWith({ authorization: key }), 401);
  assert.equal(await statusWith({}), 401);
});

test('a stream adds up to the plain answer', async () => {
  const plain = await client.messages.create({ ...hello, ...greedy });
  const stream = client.messages.stream({ ...hello, ...greedy });
  const types: string[] = [];
  for await (const event of stream) types.push(event.type);
  const message = await stream.finalMessage();
  assert.equal(textOf(message), textOf(plain));
  assert.equal(message.usage.output_tokens, plain.usage.output_tokens);
  assert.equal(types[0], 'message_start');
  assert.equal(types.at(-1), 'message_stop');
});

test('thoughts are shown when they are asked for, bounded by their budget, and can be sent back', async () => {
  const ask = (thinking: Anthropic.ThinkingConfigParam) =>
    client.messages.create({
      model: 'chat',
      max_tokens: 400,
      ...greedy,
      thinking,
      messages: [{ role: 'user', content: 'What is 7 plus 5?' }],
    });
  const answer = await ask({ type: 'enabled', budget_tokens: 2_048 });
  const [thought, ...rest] = answer.content;
  assert.ok(thought?.type === 'thinking' && thought.thinking.length > 0 && thought.signature.length > 0);
  assert.ok(rest.some(({ type }) => type === 'text'));
  assert.ok((answer.usage.output_tokens_details?.thinking_tokens ?? 0) > 0);
  const short = await ask({ type: 'enabled', budget_tokens: 3 });
  assert.ok((short.usage.output_tokens_details?.thinking_tokens ?? 0) <= 3, JSON.stringify(short));
  const hidden = await ask({ type: 'enabled', budget_tokens: 2_048, display: 'omitted' });
  assert.ok(hidden.content[0]?.type === 'thinking' && hidden.content[0].thinking === '');
  for (const { content } of [answer, hidden]) {
    const next = await client.messages.create({
      ...hello,
      messages: [
        { role: 'user', content: 'What is 7 plus 5?' },
        { role: 'assistant', content },
        { role: 'user', content: 'Thanks.' },
      ],
    });
    assert.ok(next.content.every(({ type }) => type === 'text'));
  }
});

test('a loop of tools runs to its final message', async () => {
  const asked: string[] = [];
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'What is the weather in Paris?' }];
  for (let turn = 0; turn < 3; turn++) {
    const message = await client.messages
      .stream({ model: 'chat', max_tokens: 300, ...greedy, tools: [weather], messages })
      .finalMessage();
    messages.push({ role: 'assistant', content: message.content });
    if (message.stop_reason !== 'tool_use') break;
    const results = message.content.flatMap((block) => {
      if (block.type !== 'tool_use') return [];
      assert.match(block.id, /^toolu_/);
      // as: the schema says so.
      asked.push((block.input as { city: string }).city);
      return [
        {
          type: 'tool_result' as const,
          tool_use_id: block.id,
          content: [{ type: 'text' as const, text: '21 degrees' }],
        },
      ];
    });
    messages.push({ role: 'user', content: results });
  }
  assert.deepEqual(asked, ['Paris']);
  assert.equal(messages.at(-1)?.role, 'assistant');
});

test('a forced tool is called', async () => {
  for (const tool_choice of [
    { type: 'tool' as const, name: 'get_weather' },
    { type: 'any' as const, disable_parallel_tool_use: true },
  ]) {
    const message = await client.messages.create({ ...hello, ...greedy, tools: [weather], tool_choice });
    const calls = message.content.filter((block) => block.type === 'tool_use');
    assert.equal(message.stop_reason, 'tool_use');
    assert.deepEqual(
      calls.map(({ name }) => name),
      ['get_weather'],
    );
    assert.equal(typeof Object(calls[0]?.input).city, 'string');
  }
});

test('an answer fits the schema that it was asked to have', async () => {
  const schema = {
    type: 'object',
    required: ['city', 'kind'],
    additionalProperties: false,
    properties: { city: { type: 'string', maxLength: 20 }, kind: { enum: ['a', 'b'] } },
  };
  const format = { type: 'json_schema' as const, schema };
  const messages = [{ role: 'user' as const, content: 'Ada from Paris ordered 3 lamps. Answer as JSON.' }];
  const message = await client.messages.create({ ...hello, messages, output_config: { format } });
  assert.deepEqual(Object.keys(JSON.parse(textOf(message))).sort(), ['city', 'kind']);
});

test('a text that ends the answer is named', async () => {
  const plain = await client.messages.create({ ...hello, ...greedy });
  const stop = textOf(plain).slice(5, 8);
  for (const message of [
    await client.messages.create({ ...hello, ...greedy, stop_sequences: ['never', stop] }),
    await client.messages.stream({ ...hello, ...greedy, stop_sequences: ['never', stop] }).finalMessage(),
  ]) {
    assert.deepEqual([message.stop_reason, message.stop_sequence], ['stop_sequence', stop]);
    assert.ok(!textOf(message).includes(stop));
  }
  const cut = await client.messages.create({ ...hello, max_tokens: 1 });
  assert.equal(cut.stop_reason, 'max_tokens');
});

test('tokens are counted as they are charged, whatever is in the prompt', async () => {
  const system = [{ type: 'text' as const, text: 'Be brief.', cache_control: { type: 'ephemeral' as const } }];
  for (const asked of [{}, { system }, { system, tools: [weather] }, { thinking: { type: 'adaptive' as const } }]) {
    const { input_tokens: counted } = await client.messages.countTokens({
      model: 'chat',
      messages: hello.messages,
      ...asked,
    });
    const { usage } = await client.beta.messages.create({ ...hello, max_tokens: 1, ...asked });
    assert.equal(usage.input_tokens + (usage.cache_read_input_tokens ?? 0), counted, JSON.stringify(asked));
  }
  const long = { ...hello, max_tokens: 1, system: 'word '.repeat(200) };
  await client.messages.create(long);
  const { usage } = await client.messages.create(long);
  assert.ok((usage.cache_read_input_tokens ?? 0) > 100, JSON.stringify(usage));
});

test('more tokens than the context has may be asked for, and a prompt that is too long is told so', async () => {
  const message = await client.messages.stream({ ...hello, ...greedy, max_tokens: 1_000_000 }).finalMessage();
  assert.equal(message.stop_reason, 'end_turn');
  const messages = [{ role: 'user' as const, content: 'word '.repeat(60_000) }];
  for (const ask of [
    () => client.messages.create({ ...hello, messages }),
    () => client.messages.countTokens({ model: 'chat', messages }),
  ])
    await assert.rejects(ask, (error: unknown) => {
      assert.ok(error instanceof Anthropic.BadRequestError, String(error));
      assert.match(error.apiMessage ?? '', /^prompt is too long: \d+ tokens > \d+ maximum$/);
      return true;
    });
});

test('errors arrive as the classes that users catch', async () => {
  const refused = async (ask: Promise<unknown>, status: number, type: string, words: RegExp) =>
    assert.rejects(ask, (error: unknown) => {
      assert.ok(error instanceof APIError, String(error));
      assert.deepEqual([error.status, error.type], [status, type]);
      assert.match(error.apiMessage ?? '', words);
      assert.match(error.requestID ?? '', /^req_/);
      return true;
    });
  const stranger = new Anthropic({ baseURL, apiKey: 'fnf_nonsense', maxRetries: 0 });
  await refused(stranger.messages.create(hello), 401, 'authentication_error', /API key/);
  await refused(stranger.models.list(), 401, 'authentication_error', /API key/);
  await refused(
    stranger.messages.countTokens({ model: 'chat', messages: hello.messages }),
    401,
    'authentication_error',
    /API key/,
  );
  await refused(client.messages.create({ ...hello, model: 'nothing' }), 404, 'not_found_error', /model/);
  await refused(client.models.retrieve('nothing'), 404, 'not_found_error', /model/);
  await refused(client.messages.create({ ...hello, messages: [] }), 400, 'invalid_request_error', /^messages: /);
  await refused(
    client.messages.create({ ...hello, messages: [...hello.messages, { role: 'assistant', content: '{' }] }),
    400,
    'invalid_request_error',
    /prefill/,
  );
  await refused(client.messages.batches.list().then(), 404, 'not_found_error', /nothing here/);
  const other = new Anthropic({
    baseURL: `${program.url}/api/projects/local/nothing/anthropic`,
    apiKey: program.key ?? '',
  });
  await refused(other.messages.create(hello), 404, 'not_found_error', /project/);
});

test('a stream that is left ends its generation, and the next call works', async () => {
  const stream = client.messages.stream({ ...hello, max_tokens: 2_000 });
  for await (const _ of stream) break;
  assert.ok((await client.messages.create({ ...hello, max_tokens: 1 })).id);
});

test('a call that is repeated under its key is answered once, as JSON and as a stream', async () => {
  for (const stream of [false, true]) {
    const options = { headers: { 'idempotency-key': `once-${stream}` } };
    const ask = () =>
      stream
        ? client.messages.stream({ ...hello, thinking: { type: 'adaptive' } }, options).finalMessage()
        : client.messages.create(hello, options);
    const [first, again] = [await ask(), await ask()];
    assert.deepEqual({ ...again }, { ...first });
  }
});

test('the models are those that can be called', async () => {
  const models = await client.models.list({ limit: 1 });
  assert.deepEqual(
    models.data.map(({ id, type }) => ({ id, type })),
    [{ id: 'chat', type: 'model' }],
  );
  assert.equal((await client.models.retrieve('chat')).id, 'chat');
  assert.ok(!Number.isNaN(Date.parse(models.data[0]?.created_at ?? '')));
});

test('who tries the base URL is told what is there, without a key', async () => {
  for (const path of ['', '/', '/v1']) {
    const answer = await fetch(baseURL + path);
    assert.deepEqual([answer.status, Object((await answer.json()) as unknown).name], [200, 'Fanfold'], path);
    assert.equal((await fetch(baseURL + path, { method: 'HEAD' })).status, 200);
  }
  const answer = await fetch(`${baseURL}/v1/nothing`);
  assert.equal(answer.status, 404);
  assert.equal(Object((await answer.json()) as unknown).type, 'error');
});
