import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { addModel } from '#models';
import { makeAvx2Checkout } from '#test/avx2-checkout.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type LlamaServer, startLlamaServer } from '#test/llama-server.ts';
import { type Program, startProgram } from '#test/program.ts';
import { realModels } from '#test/real-models.ts';
import { openShippedModels } from '#test/shipped-models.ts';

/** SmolLM2-135M-Instruct, a trained model, added to the running program without any flag; and llama.cpp's own server with the same file. */
let database: TestDatabase;
let checkout: Awaited<ReturnType<typeof makeAvx2Checkout>>;
let dataDir: string;
let program: Program;
let reference: LlamaServer;
let ours: OpenAI;

before(async () => {
  const { smollm2 } = await realModels();
  [database, checkout, dataDir] = await Promise.all([
    createTestDatabase(),
    makeAvx2Checkout(),
    mkdtemp(join(tmpdir(), 'fanfold-smollm2-')),
  ]);
  await addModel(openShippedModels(dataDir), { id: 'smollm2', ggufPath: smollm2 });
  [program, reference] = await Promise.all([
    startProgram({ databaseUrl: database.url, dataDir, checkout: checkout.folder }),
    startLlamaServer(smollm2),
  ]);
  const baseURL = `${program.url}/api/projects/local/chat/openai/v1`;
  ours = new OpenAI({ baseURL, apiKey: program.key ?? '', maxRetries: 20 });
});

after(async () => {
  await program?.stop();
  await reference?.stop();
  await checkout?.remove();
  if (dataDir) await rm(dataDir, { recursive: true, force: true });
  await database?.drop();
});

const subjects = [
  ...['the sea', 'a bicycle', 'gravity', 'bread', 'Paris', 'the moon', 'a cat', 'photosynthesis', 'music', 'iron'],
  ...['winter', 'a lighthouse', 'chess', 'coffee', 'rain', 'the heart', 'a volcano', 'history', 'tea', 'glass'],
  ...['the alphabet', 'a river', 'time', 'sleep', 'the number seven'],
];
const prompts = subjects.flatMap((subject) => [
  `Write one sentence about ${subject}.`,
  `What is ${subject}? Explain it to a child.`,
]);

const user = (content: string) => ({ role: 'user' as const, content });
const greedy = { model: 'smollm2', temperature: 0, max_tokens: 12 };

/** One call after the other: in a batch with others sums are rounded differently. */
async function answersOf(client: OpenAI) {
  const answers = [];
  for (const prompt of prompts) {
    const { choices, usage } = await client.chat.completions.create({ ...greedy, messages: [user(prompt)] });
    const [choice] = choices;
    answers.push({
      prompt,
      content: choice?.message.content,
      reason: choice?.finish_reason,
      tokens: [usage?.prompt_tokens, usage?.completion_tokens],
    });
  }
  return answers;
}

test('greedy answers to 50 prompts are those of the server of llama.cpp, token counts included', async () => {
  const theirs = new OpenAI({ baseURL: reference.url, apiKey: 'none' });
  const [answers, expected] = await Promise.all([answersOf(ours), answersOf(theirs)]);
  assert.equal(answers.length, 50);
  assert.deepEqual(answers, expected);
});

test('a stream says the same as the plain answer', async () => {
  const request = { ...greedy, messages: [user('Name three animals.')], max_tokens: 40 };
  const whole = await ours.chat.completions.create(request);
  const streamed = await ours.chat.completions
    .stream({ ...request, stream_options: { include_usage: true } })
    .finalChatCompletion();
  assert.ok((whole.choices[0]?.message.content ?? '').length > 20);
  assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
  assert.equal(streamed.usage?.completion_tokens, whole.usage?.completion_tokens);
});

test('an answer in a JSON schema fits it', async () => {
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', maxLength: 20 }, country: { enum: ['France', 'Japan'] } },
    required: ['city', 'country'],
    additionalProperties: false,
  };
  const { choices } = await ours.chat.completions.create({
    ...greedy,
    messages: [user('What is the capital of Japan?')],
    max_tokens: 60,
    response_format: { type: 'json_schema', json_schema: { name: 'capital', schema, strict: true } },
  });
  const { city, ...rest } = JSON.parse(choices[0]?.message.content ?? '');
  assert.ok(typeof city === 'string' && city.length <= 20, city);
  assert.deepEqual(rest, { country: 'Japan' });
});

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    parameters: {
      type: 'object',
      properties: { city: { enum: ['Paris', 'Oslo'] } },
      required: ['city'],
      additionalProperties: false,
    },
  },
};

test('a tool loop: a required call, its result, and an answer that uses the result', async () => {
  const question = user('Use the tool get_weather. What is the weather in Oslo?');
  const request = { ...greedy, max_tokens: 60, tools: [weather] };
  const { choices } = await ours.chat.completions.create({
    ...request,
    messages: [question],
    tool_choice: { type: 'function', function: { name: 'get_weather' } },
  });
  const message = choices[0]?.message;
  const [call] = message?.tool_calls ?? [];
  assert.ok(message && call?.type === 'function', JSON.stringify(choices));
  assert.equal(call.function.name, 'get_weather');
  assert.deepEqual(JSON.parse(call.function.arguments), { city: 'Oslo' });
  const result = { role: 'tool' as const, tool_call_id: call.id, content: 'It is 4 degrees and snowing in Oslo.' };
  const answer = await ours.chat.completions.create({
    ...request,
    messages: [question, message, result],
    tool_choice: 'none',
  });
  assert.match(answer.choices[0]?.message.content ?? '', /snow|4 degrees/);
});
