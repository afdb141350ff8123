import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import OpenAI from 'openai';
import { createRemoteEngine } from '#engine';
import { systemClock } from '#kernel';
import { putRoute } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type LlamaServer, startLlamaServer } from '#test/llama-server.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { prompt, sampling } from '../../src/engine/remote/chat-call.fixture.ts';

/** llama.cpp's own server behind a base model that is not installed here: callers cannot tell it from our own engine. */
const remoteText = 'qwen3-0.6b';
const remoteEmbedding = 'qwen3-embedding-0.6b';
let database: TestDatabase;
let app: TestApp;
let servers: LlamaServer[] = [];
let owner: Tenant;
let chat: OpenAI;

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  owner = await seedTenant(database.database, app.models);
  const fileOf = (id: string) => app.models.find(id)?.installed?.ggufPath ?? '';
  servers = [
    await startLlamaServer(fileOf('fanfold-tiny-chat')),
    await startLlamaServer(fileOf('fanfold-tiny-embed'), { kind: 'embedding' }),
  ];
  const route = { api: 'llama-server', secretSource: null, upstreamModel: 'any', weight: 1, draining: false } as const;
  const models = [remoteText, remoteEmbedding];
  for (const [at, { url }] of servers.entries())
    await putRoute(database.database, { ...route, id: `r${at}`, baseModelId: models[at] ?? '', url, capacity: 2 });
  chat = clientOf('chat');
  for (const model of models) await until(() => isServed(model));
});

after(async () => {
  await app?.stop();
  for (const server of servers) await server.stop();
  await database?.drop();
});

const clientOf = (project: string) =>
  new OpenAI({
    baseURL: `${app.origin}/api/projects/${owner.slug}/${project}/openai/v1`,
    apiKey: owner.key,
    maxRetries: 0,
  });

/** A route is in use within two seconds after it was named, without a restart. */
async function isServed(model: string): Promise<boolean> {
  const response = await fetch(`${app.origin}/api/v1/base-models`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  // as: the contract says so.
  const { data } = (await response.json()) as { data: { id: string; serving: { available: boolean } }[] };
  return data.find(({ id }) => id === model)?.serving.available ?? false;
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + 180_000; !(await isSo()); await sleep(50))
    assert.ok(performance.now() < deadline, 'the change is not in use');
}

const asked = (content: string, more: object = {}) => ({
  messages: [{ role: 'user' as const, content }],
  temperature: 0,
  max_tokens: 200,
  ...more,
});

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
};

test('text, reasoning, calls, formats and counts are those of our own engine with the same model', async () => {
  const capital = 'What is the capital of Orrin?';
  const schema = { type: 'object', properties: { known: { type: 'boolean' } }, required: ['known'] };
  for (const request of [
    asked(capital, { reasoning_effort: 'none' }),
    asked(capital, { reasoning_effort: 'high' }),
    asked(capital),
    asked('What is the weather in Paris?', { tools: [weather], reasoning_effort: 'none' }),
    asked(capital, { stop: ['Salt'], reasoning_effort: 'none' }),
    asked(capital, { max_tokens: 3, reasoning_effort: 'none' }),
  ]) {
    const [theirs, ours] = [
      await chat.chat.completions.create({ ...request, model: remoteText }),
      await chat.chat.completions.create({ ...request, model: 'chat' }),
    ];
    const shape = ({ choices: [choice] }: OpenAI.ChatCompletion) => ({
      content: choice?.message.content,
      reasoning: (choice?.message as { reasoning_content?: string } | undefined)?.reasoning_content,
      calls: choice?.message.tool_calls?.map((call) =>
        call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : [],
      ),
      reason: choice?.finish_reason,
    });
    assert.deepEqual(shape(theirs), shape(ours), JSON.stringify(request));
    assert.equal(theirs.usage?.prompt_tokens, ours.usage?.prompt_tokens, JSON.stringify(request));
  }
  const format = { type: 'json_schema' as const, json_schema: { name: 'answer', schema, strict: true } };
  const formed = await chat.chat.completions.create({
    ...asked(capital, { reasoning_effort: 'none' }),
    model: remoteText,
    response_format: format,
  });
  assert.deepEqual(Object.keys(JSON.parse(formed.choices[0]?.message.content ?? '')), ['known']);
});

test('a stream is as whole as the answer, and one that is left frees its place', async () => {
  const request = asked('What is the capital of Orrin?', { reasoning_effort: 'high' });
  const whole = await chat.chat.completions.create({ ...request, model: remoteText });
  const streamed = await chat.chat.completions
    .stream({ ...request, model: remoteText, stream_options: { include_usage: true } })
    .finalChatCompletion();
  assert.equal(streamed.choices[0]?.message.content, whole.choices[0]?.message.content);
  assert.equal(streamed.usage?.completion_tokens, whole.usage?.completion_tokens);
  for (let n = 0; n < 5; n += 1) {
    const stream = await chat.chat.completions.create({
      ...asked('Tell me a story.'),
      model: remoteText,
      stream: true,
    });
    for await (const _ of stream) break;
  }
  assert.ok((await chat.chat.completions.create({ ...request, model: remoteText })).choices[0]?.message.content);
});

/** Calls the server of texts, without routes of this installation. */
function engineAt(api: 'llama-server' | 'openai') {
  const route = {
    ...({ id: 'a', url: servers[0]?.url ?? '', baseModelId: 'big', kind: 'text', api, secret: null } as const),
    upstreamModel: 'any',
    capacity: 2,
    weight: 1,
    draining: false,
    maxContextTokens: 4_096,
    dimensions: null,
  };
  const routes = [route];
  return createRemoteEngine({
    routes: () => routes,
    countHere: async () => null,
    clock: systemClock,
    log: () => {},
  });
}

test('a prompt is counted as it is run, tools, choice, format and effort included', async () => {
  const engine = engineAt('llama-server');
  const signal = new AbortController().signal;
  const tools = [weather.function];
  const messages = [{ role: 'user' as const, content: 'What is the capital of Orrin?' }];
  const schema = { type: 'object', properties: { known: { type: 'boolean' } } };
  try {
    for (const variant of [
      {},
      { reasoningEffort: 'none' as const },
      { reasoningEffort: 'high' as const },
      { tools },
      { tools, toolChoice: { mode: 'none' as const } },
      { tools, toolChoice: { mode: 'required' as const } },
      { responseFormat: { type: 'json_schema' as const, schema } },
    ]) {
      const asked = { ...prompt, messages, ...variant };
      const { handle, promptTokens } = await engine.prepareChat(asked, signal);
      const call = { handle, sampling: { ...sampling, maxTokens: 2 }, cacheScope: 'ada', signal };
      const { usage } = await engine.generate(call, () => {});
      assert.equal(promptTokens, usage.promptTokens, JSON.stringify(variant));
    }
  } finally {
    await engine.close();
  }
});

test('reasoning keeps to the bound of a call', async () => {
  const engine = engineAt('llama-server');
  const signal = new AbortController().signal;
  const messages = [{ role: 'user' as const, content: 'What is the capital of Orrin?' }];
  const answered = async (maxReasoningTokens: number | null) => {
    const asked = { ...prompt, messages, reasoningEffort: 'high' as const, maxTokens: 200 };
    const { handle } = await engine.prepareChat(asked, signal);
    const said = { reasoning: '', content: '' };
    const call = { handle, sampling: { ...sampling, maxTokens: 200, maxReasoningTokens }, cacheScope: 'ada', signal };
    await engine.generate(call, (delta) => {
      if (delta.type !== 'tool_call') said[delta.type] += delta.text;
    });
    return said;
  };
  try {
    const [free, bounded, none] = [await answered(null), await answered(4), await answered(0)];
    assert.ok(free.reasoning.startsWith(bounded.reasoning) && bounded.reasoning.length < free.reasoning.length);
    assert.equal(none.reasoning, '');
    for (const { content } of [bounded, none]) assert.match(content, /Saltmere/);
  } finally {
    await engine.close();
  }
});

for (const api of ['llama-server', 'openai'] as const)
  test(`a call right after a stream does not meet the end of its connection, set up as ${api}`, async () => {
    // Nothing is written between its calls, which would give the server time to close what it closes.
    const engine = engineAt(api);
    const signal = new AbortController().signal;
    try {
      for (let n = 0; n < 100; n += 1) {
        const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 4 }, signal);
        const call = { handle, sampling: { ...sampling, maxTokens: 4 }, cacheScope: 'ada', signal, whole: n % 2 === 1 };
        const { usage } = await engine.generate(call, () => {});
        assert.ok(usage.completionTokens > 0);
      }
    } finally {
      await engine.close();
    }
  });

test('a context that is too long is told before the model runs, with the limit', async () => {
  await assert.rejects(
    chat.chat.completions.create({ ...asked('word '.repeat(4_000)), model: remoteText }),
    (error: unknown) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.match(error.message, /maximum context length is 4096 tokens/);
      return true;
    },
  );
});

test('vectors are those of our own engine with the same model', async () => {
  const search = clientOf('search');
  const input = ['Does the lamp have a warranty?', 'It weighs two kilograms.'];
  const vectorsOf = async (model: string) =>
    (await search.embeddings.create({ model, input, encoding_format: 'float' })).data.map(({ embedding }) => embedding);
  const ours = await vectorsOf('search');
  // The catalogue says 1,024 dimensions and this engine has 128: an answer that does not fit is refused, not passed on.
  await assert.rejects(vectorsOf(remoteEmbedding), (error: unknown) => {
    assert.ok(error instanceof OpenAI.APIError);
    assert.deepEqual([error.status, error.code], [500, 'generation_failed']);
    return true;
  });
  await putRoute(database.database, {
    id: 'r1',
    baseModelId: 'fanfold-tiny-embed',
    api: 'llama-server',
    url: servers[1]?.url ?? '',
    upstreamModel: 'any',
    secretSource: null,
    capacity: 2,
    weight: 1,
    draining: false,
  });
  // The same moment in which the route is in use for another model.
  await until(async () => !(await isServed(remoteEmbedding)));
  const theirs = await vectorsOf('fanfold-tiny-embed');
  for (const [at, vector] of theirs.entries())
    assert.ok(vector.reduce((sum, value, n) => sum + value * (ours[at]?.[n] ?? 0), 0) > 0.999);
});
