import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** An unmodified OpenAI client speaks the Responses API with the running program: only base URL and key differ. */
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
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = {
  type: 'function' as const,
  name: 'get_weather',
  parameters,
  strict: false,
  description: 'Get the current weather for a city.',
};

test('a response has text, usage and a request id', async () => {
  const { data, request_id: requestId } = await client.responses.create(hello).withResponse();
  assert.match(requestId ?? '', /^req_/);
  assert.ok(data.output_text.length > 3, JSON.stringify(data));
  assert.deepEqual([data.object, data.status, data.error], ['response', 'completed', null]);
  assert.equal(data.usage?.total_tokens, (data.usage?.input_tokens ?? 0) + (data.usage?.output_tokens ?? 0));
  assert.ok(data.usage !== undefined && data.usage.input_tokens > 0);
});

test('a stream adds up to the plain answer, and the helper of the client accepts every event', async () => {
  const plain = await client.responses.create(hello);
  const stream = client.responses.stream(hello);
  const numbers: number[] = [];
  let text = '';
  for await (const event of stream) {
    numbers.push(event.sequence_number);
    if (event.type === 'response.output_text.delta') text += event.delta;
  }
  assert.equal(text, plain.output_text);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => index),
  );
  const final = await stream.finalResponse();
  assert.equal(final.output_text, plain.output_text);
  assert.equal(final.usage?.output_tokens, plain.usage?.output_tokens);
  assert.doesNotMatch(JSON.stringify(final.output), /<\/?think>/);
});

test('reasoning follows its effort, and comes in the open, as summary or sealed', async () => {
  const ask = (reasoning: OpenAI.Reasoning, more: object = {}) =>
    client.responses.create({ model: 'chat', input: 'What is 7 plus 5?', temperature: 0, reasoning, ...more });
  const off = await ask({ effort: 'none' });
  assert.equal(off.usage?.output_tokens_details.reasoning_tokens, 0);
  assert.ok(!off.output.some(({ type }) => type === 'reasoning'));
  for (const effort of ['minimal', 'low', 'medium', 'high', 'xhigh'] as const) {
    const on = await ask({ effort });
    const [item] = on.output;
    assert.ok(item?.type === 'reasoning', effort);
    assert.ok((item.content?.[0]?.text ?? '').length > 0);
    assert.ok((on.usage?.output_tokens_details.reasoning_tokens ?? 0) > 0);
  }
  const summary = await ask({ effort: 'low', summary: 'auto' }, { include: ['reasoning.encrypted_content'] });
  const [item] = summary.output;
  assert.ok(item?.type === 'reasoning' && (item.summary[0]?.text ?? '').length > 0);
  assert.ok((item.encrypted_content ?? '').length > 20);
});

test('a tool loop of a client that stores nothing runs to its final answer', async () => {
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'What is the weather in Paris?' }];
  const asked: string[] = [];
  for (let round = 0; round < 4; round++) {
    const answer = await client.responses.create({
      model: 'chat',
      input,
      tools: [weather],
      temperature: 0,
      store: false,
      include: ['reasoning.encrypted_content'],
    });
    assert.equal(Reflect.get(answer, 'store'), false);
    input.push(...(answer.output as OpenAI.Responses.ResponseInput));
    const calls = answer.output.filter((item) => item.type === 'function_call');
    if (calls.length === 0) {
      assert.deepEqual(asked, ['Paris']);
      assert.ok(answer.output_text.length > 0);
      return;
    }
    for (const { arguments: args, call_id } of calls) {
      asked.push(JSON.parse(args).city);
      input.push({ type: 'function_call_output', call_id, output: '{"temp": 21}' });
    }
  }
  assert.fail('it called tools without an end');
});

test('a forced tool is called, a custom one with text, and hosted ones are left out', async () => {
  const named = await client.responses.create({
    model: 'chat',
    input: 'What is the weather in Paris?',
    temperature: 0,
    store: false,
    tools: [{ type: 'web_search' }, weather],
    tool_choice: { type: 'function', name: 'get_weather' },
  });
  const call = named.output.find((item) => item.type === 'function_call');
  assert.equal(typeof JSON.parse(call?.arguments ?? '{}').city, 'string');
  assert.deepEqual(
    named.tools.map(({ type }) => type),
    ['function'],
  );
  const custom = await client.responses.create({
    model: 'chat',
    input: 'Write a note.',
    temperature: 0,
    store: false,
    max_output_tokens: 400,
    tools: [{ type: 'custom', name: 'note', description: 'Keeps a short text.' }],
    tool_choice: { type: 'custom' as const, name: 'note' },
    reasoning: { effort: 'none' as const },
  });
  const item = custom.output.find(({ type }) => type === 'custom_tool_call');
  if (custom.status === 'completed') assert.ok(item?.type === 'custom_tool_call' && typeof item.input === 'string');
});

test('a response keeps to its JSON schema', async () => {
  const schema = {
    type: 'object',
    required: ['city', 'count'],
    additionalProperties: false,
    properties: { city: { type: 'string', maxLength: 20 }, count: { type: 'integer', minimum: 0, maximum: 9 } },
  };
  const answer = await client.responses.parse({
    model: 'chat',
    input: 'Ada from Paris ordered 3 lamps. Answer as JSON.',
    text: { format: { type: 'json_schema', name: 'order', schema, strict: true } },
    reasoning: { effort: 'none' },
  });
  const value = JSON.parse(answer.output_text);
  assert.deepEqual(Object.keys(value).sort(), ['city', 'count']);
  assert.ok(Number.isInteger(value.count));
});

test('an answer that is cut is incomplete, and one without a bound has the rest of the context', async () => {
  const cut = await client.responses.create({ ...hello, max_output_tokens: 3, reasoning: { effort: 'none' } });
  assert.deepEqual([cut.status, cut.incomplete_details], ['incomplete', { reason: 'max_output_tokens' }]);
  assert.equal(cut.usage?.output_tokens, 3);
  const last: string[] = [];
  const stream = await client.responses.create({ ...hello, max_output_tokens: 3, stream: true });
  for await (const { type } of stream) last.push(type);
  assert.equal(last.at(-1), 'response.incomplete');
  const whole = await client.responses.create(hello);
  assert.deepEqual([whole.status, whole.max_output_tokens], ['completed', null]);
});

test('errors arrive as the client classes that users catch, in words that clients recognise', async () => {
  const stranger = new OpenAI({ baseURL: client.baseURL, apiKey: 'fnf_nonsense', maxRetries: 0 });
  await assert.rejects(stranger.responses.create(hello), OpenAI.AuthenticationError);
  await assert.rejects(client.responses.create({ ...hello, model: 'nothing' }), OpenAI.NotFoundError);
  const refused = async (body: object, [code, param]: [string, string], words: RegExp) =>
    await assert.rejects(client.responses.create({ ...hello, ...body }), (error: unknown) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.deepEqual([error.code, error.param], [code, param]);
      assert.match(error.message, words);
      return true;
    });
  const long = 'word '.repeat(6_000);
  const tooLong = /exceeds the context window.*maximum context length is 4096 tokens.*prompt is too long/;
  await refused({ input: long }, ['context_length_exceeded', 'input'], tooLong);
  await refused({ max_output_tokens: 100_000 }, ['context_length_exceeded', 'max_output_tokens'], tooLong);
  await refused({ previous_response_id: 'resp_x' }, ['previous_response_not_found', 'previous_response_id'], /resp_x/);
  await refused({ input: [{ role: 'user', content: 5 }] }, ['invalid_request', 'input[0].content'], /string or a list/);
  await refused({ background: true }, ['invalid_request', 'background'], /use stream/);
  await assert.rejects(client.responses.retrieve('resp_x'), OpenAI.NotFoundError);
  await assert.rejects(client.responses.delete('resp_x'), OpenAI.NotFoundError);
});

test('the oldest turns of a conversation that is too long are left out where that is asked for', async () => {
  const input = Array.from({ length: 40 }, (_, turn) => ({
    role: turn % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: `${turn} ${'word '.repeat(150)}`,
  }));
  input.push({ role: 'user', content: 'Hello!' });
  const asked = { model: 'chat', input, instructions: 'Answer briefly.', max_output_tokens: 40 };
  await assert.rejects(client.responses.create(asked), OpenAI.BadRequestError);
  const answer = await client.responses.create({ ...asked, truncation: 'auto' });
  assert.ok((answer.usage?.input_tokens ?? 0) > 500);
});

test('the tokens of an input are counted as they are charged', async () => {
  const asked = { model: 'chat', input: 'Hello!', instructions: 'Be brief.', tools: [weather] };
  const { input_tokens: counted } = await client.responses.inputTokens.count(asked);
  const answer = await client.responses.create({ ...asked, max_output_tokens: 5 });
  assert.equal(answer.usage?.input_tokens, counted);
});

test('a client that stops reading early ends its answer, and the next call works', async () => {
  const stream = await client.responses.create({ ...hello, stream: true });
  for await (const _ of stream) break;
  assert.ok((await client.responses.create({ ...hello, reasoning: { effort: 'none' } })).output_text);
});
