import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** An unmodified OpenAI client against the running program: only base URL and key differ. */
let database: TestDatabase;
let program: Program;
let chat: OpenAI;
let search: OpenAI;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  const client = (project: string) =>
    new OpenAI({
      baseURL: `${program.url}/api/projects/local/${project}/openai/v1`,
      apiKey: program.key ?? '',
      maxRetries: 20,
    });
  chat = client('chat');
  search = client('search');
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

const hello = { model: 'chat', messages: [{ role: 'user' as const, content: 'Hello!' }] };
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

test('the models list shows the hosted alias and nothing else', async () => {
  const models = await chat.models.list();
  assert.deepEqual(
    models.data.map(({ id, object, owned_by }) => ({ id, object, owned_by })),
    [{ id: 'chat', object: 'model', owned_by: 'local' }],
  );
  assert.equal((await chat.models.retrieve('chat')).id, 'chat');
  await assert.rejects(chat.models.retrieve('other'), OpenAI.NotFoundError);
});

test('a chat completion answers with text, usage and a request id', async () => {
  const { data, request_id } = await chat.chat.completions
    .create({ ...hello, reasoning_effort: 'none', temperature: 0 })
    .withResponse();
  assert.match(request_id ?? '', /^req_/);
  assert.equal(data.choices.length, 1);
  assert.ok((data.choices[0]?.message.content ?? '').length > 3, JSON.stringify(data));
  assert.equal(data.choices[0]?.finish_reason, 'stop');
  assert.equal(data.usage?.total_tokens, (data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0));
});

test('a stream says the same as the plain answer, ends with usage and never shows raw tags', async () => {
  const settings = { ...hello, temperature: 0, seed: 7 };
  const plain = await chat.chat.completions.create(settings);
  const stream = await chat.chat.completions.create({
    ...settings,
    stream: true,
    stream_options: { include_usage: true },
  });
  let text = '';
  let reasoning = '';
  let usage: OpenAI.CompletionUsage | null | undefined;
  const finishes: string[] = [];
  for await (const chunk of stream) {
    const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string } | undefined;
    text += delta?.content ?? '';
    reasoning += delta?.reasoning_content ?? '';
    if (chunk.choices[0]?.finish_reason) finishes.push(chunk.choices[0].finish_reason);
    if (chunk.usage) usage = chunk.usage;
  }
  assert.equal(text, plain.choices[0]?.message.content);
  assert.deepEqual(finishes, [plain.choices[0]?.finish_reason]);
  assert.equal(usage?.completion_tokens, plain.usage?.completion_tokens);
  assert.doesNotMatch(text + reasoning, /<\/?think>/);
});

test('the stream helper of the client accepts every frame', async () => {
  const final = await chat.chat.completions.stream({ ...hello, temperature: 0 }).finalChatCompletion();
  assert.ok(final.choices[0]?.message.content);
});

test('reasoning can be switched off, and costs tokens that are counted when it is on', async () => {
  const ask = (reasoning_effort: 'none' | 'low' | 'high') =>
    chat.chat.completions.create({
      model: 'chat',
      messages: [{ role: 'user', content: 'What is 7 plus 5?' }],
      reasoning_effort,
      temperature: 0,
    });
  const off = await ask('none');
  assert.equal(off.usage?.completion_tokens_details?.reasoning_tokens, 0);
  assert.ok(!('reasoning_content' in (off.choices[0]?.message ?? {})));
  for (const effort of ['low', 'high'] as const) {
    const on = await ask(effort);
    assert.ok((on.usage?.completion_tokens_details?.reasoning_tokens ?? 0) > 0, effort);
    assert.ok('reasoning_content' in (on.choices[0]?.message ?? {}), effort);
  }
});

test('a forced tool is called with arguments that fit its schema', async () => {
  const answer = await chat.chat.completions.create({
    model: 'chat',
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    tools: [weather],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
    temperature: 0,
  });
  const call = answer.choices[0]?.message.tool_calls?.[0];
  assert.equal(answer.choices[0]?.finish_reason, 'tool_calls');
  assert.ok(call?.type === 'function');
  assert.equal(call.function.name, 'get_weather');
  assert.equal(typeof JSON.parse(call.function.arguments).city, 'string');
});

test('a tool loop of the client runs to its final answer', async () => {
  const asked: string[] = [];
  const runner = chat.chat.completions.runTools({
    model: 'chat',
    messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
    temperature: 0,
    tools: [
      {
        type: 'function',
        function: {
          ...weather.function,
          parse: JSON.parse,
          function: ({ city }: { city: string }) => {
            asked.push(city);
            return JSON.stringify({ temp: 21 });
          },
        },
      },
    ],
  });
  const text = await runner.finalContent();
  assert.deepEqual(asked, ['Paris']);
  assert.ok((text ?? '').length > 0);
});

test('a JSON schema is obeyed', async () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', maxLength: 20 },
      count: { type: 'integer', minimum: 0, maximum: 9 },
      kind: { enum: ['a', 'b'] },
    },
    required: ['city', 'count', 'kind'],
    additionalProperties: false,
  };
  for (const seed of [1, 2, 3]) {
    const answer = await chat.chat.completions.create({
      model: 'chat',
      messages: [{ role: 'user', content: 'Ada from Paris ordered 3 lamps. Answer as JSON.' }],
      response_format: { type: 'json_schema', json_schema: { name: 'order', schema, strict: true } },
      reasoning_effort: 'none',
      seed,
    });
    const value = JSON.parse(answer.choices[0]?.message.content ?? '');
    assert.deepEqual(Object.keys(value).sort(), ['city', 'count', 'kind']);
    assert.ok(Number.isInteger(value.count) && ['a', 'b'].includes(value.kind));
  }
});

test('several answers come in one call: the prompt counts once, and each has a seed of its own', async () => {
  const one = { ...hello, max_tokens: 12, seed: 7, temperature: 2 };
  const singles = [];
  for (const seed of [7, 8, 9]) singles.push(await chat.chat.completions.create({ ...one, seed }));
  const several = await chat.chat.completions.create({ ...one, n: 3 });
  assert.equal(several.usage?.prompt_tokens, singles[0]?.usage?.prompt_tokens);
  assert.equal(
    several.usage?.completion_tokens,
    singles.reduce((sum, { usage }) => sum + (usage?.completion_tokens ?? 0), 0),
  );
  const textsOf = ({ choices }: typeof several) => choices.map(({ message }) => JSON.stringify(message));
  assert.deepEqual(
    several.choices.map(({ index }) => index),
    [0, 1, 2],
  );
  assert.deepEqual(textsOf(several), singles.flatMap(textsOf));
  assert.equal(new Set(textsOf(several)).size, 3);

  const streamed = ['', '', ''];
  const ends: (string | null)[] = [null, null, null];
  const key = { headers: { 'idempotency-key': 'several' } };
  const read = async () => {
    const frames: OpenAI.ChatCompletionChunk[] = [];
    for await (const frame of await chat.chat.completions.create({ ...one, n: 3, stream: true }, key))
      frames.push(frame);
    for (const { index, delta, finish_reason: reason } of frames.flatMap(({ choices }) => choices)) {
      streamed[index] += (delta.content ?? '') + ('reasoning_content' in delta ? String(delta.reasoning_content) : '');
      ends[index] ??= reason;
    }
    return { texts: streamed.splice(0, 3, '', '', ''), ends: ends.splice(0, 3, null, null, null) };
  };
  const first = await read();
  assert.ok(first.texts.every((text) => text !== '') && new Set(first.texts).size === 3);
  assert.deepEqual(
    first.ends,
    several.choices.map((choice) => choice.finish_reason),
  );
  assert.deepEqual(await read(), first);
});

test('log probabilities come with the content, plain and streamed, in the form of OpenAI', async () => {
  const asked = {
    ...hello,
    max_tokens: 30,
    reasoning_effort: 'none' as const,
    temperature: 0,
    logprobs: true,
    top_logprobs: 2,
  };
  const { choices } = await chat.chat.completions.create(asked);
  const tokens = choices[0]?.logprobs?.content ?? assert.fail();
  assert.equal(tokens.map(({ token }) => token).join(''), choices[0]?.message.content);
  assert.ok(tokens.every(({ logprob, top_logprobs: top }) => top.length === 2 && top[0]?.logprob === logprob));
  const stream = await chat.chat.completions.create({ ...asked, stream: true });
  const streamed: typeof tokens = [];
  for await (const frame of stream) streamed.push(...(frame.choices[0]?.logprobs?.content ?? []));
  assert.deepEqual(
    streamed.map(({ token }) => token),
    tokens.map(({ token }) => token),
  );
});

test('a legacy completion gives one text for a list of prompts', async () => {
  const answer = await chat.completions.create({
    model: 'chat',
    prompt: ['Hello!', 'Who are you?'],
    max_tokens: 40,
    temperature: 0,
  });
  assert.equal(answer.object, 'text_completion');
  assert.equal(answer.choices.length, 1);
  assert.equal(typeof answer.choices[0]?.text, 'string');
  await assert.rejects(chat.completions.create({ model: 'chat', prompt: 'x', stream: true }), OpenAI.BadRequestError);
});

test('embeddings are the same vector as floats and as base64, of unit length', async () => {
  const ask = (encoding_format?: 'float' | 'base64') =>
    search.embeddings.create({
      model: 'search',
      input: ['How much is the lamp?', 'The lamp costs 20 euros.'],
      ...(encoding_format ? { encoding_format } : {}),
    });
  const [byDefault, floats] = [await ask(), await ask('float')];
  assert.equal(byDefault.data.length, 2);
  for (const [index, { embedding }] of floats.data.entries()) {
    assert.deepEqual(Array.from(byDefault.data[index]?.embedding ?? []), embedding);
    assert.ok(Math.abs(Math.hypot(...embedding) - 1) < 1e-4);
  }
  assert.ok(floats.usage.prompt_tokens > 4 && floats.usage.total_tokens === floats.usage.prompt_tokens);
});

test('errors arrive as the client classes that users catch', async () => {
  const stranger = new OpenAI({ baseURL: chat.baseURL, apiKey: 'fnf_nonsense', maxRetries: 0 });
  await assert.rejects(stranger.chat.completions.create(hello), OpenAI.AuthenticationError);
  await assert.rejects(chat.chat.completions.create({ ...hello, model: 'nothing' }), OpenAI.NotFoundError);
  await assert.rejects(chat.chat.completions.create({ ...hello, max_tokens: 100_000 }), (error: unknown) => {
    assert.ok(error instanceof OpenAI.BadRequestError);
    assert.match(error.message, /maximum context length.*prompt is too long/);
    assert.equal(error.param, 'max_tokens');
    return true;
  });
  await assert.rejects(chat.embeddings.create({ model: 'chat', input: 'x' }), OpenAI.ConflictError);
  await assert.rejects(search.embeddings.create({ model: 'search', input: '' }), OpenAI.UnprocessableEntityError);
  await assert.rejects(search.embeddings.create({ model: 'search', input: [[1, 2]] }), /not token ids/);
  await assert.rejects(search.embeddings.create({ model: 'search', input: ['a', 'b', 'c'] }), OpenAI.BadRequestError);
  await assert.rejects(
    search.embeddings.create({ model: 'search', input: 'a', dimensions: 7 }),
    OpenAI.BadRequestError,
  );
});

test('a client that stops reading early ends its generation and the next call works', async () => {
  const stream = await chat.chat.completions.create({ ...hello, stream: true });
  for await (const _ of stream) break;
  assert.ok((await chat.chat.completions.create({ ...hello, reasoning_effort: 'none' })).choices[0]);
});
