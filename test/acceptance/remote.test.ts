import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { putRoute } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/**
 * A second Fanfold, with an account of its own, is the remote engine of two base models of the first: one that is not installed
 * there, and the embedding model that is. The first one's callers cannot tell.
 */
const remoteModel = 'qwen3-0.6b';
const embeddingModel = 'fanfold-tiny-embed';
let databases: TestDatabase[];
let engine: TestApp;
let front: TestApp;
let owner: Tenant;
let there: OpenAI;
let here: OpenAI;

before(async () => {
  databases = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const [frontDatabase, engineDatabase] = databases as [TestDatabase, TestDatabase];
  engine = await startApp(engineDatabase.database);
  const tenant = await seedTenant(engineDatabase.database, engine.models);
  const urlOf = (project: string) => `${engine.origin}/api/projects/${tenant.slug}/${project}/openai/v1`;
  const route = { api: 'openai', secretSource: 'env:ENGINE_KEY', capacity: 4, weight: 1, draining: false } as const;
  const sql = frontDatabase.database;
  const chat = { id: 'chat', url: urlOf('chat'), baseModelId: remoteModel, upstreamModel: 'chat' };
  const search = { id: 'search', url: urlOf('search'), baseModelId: embeddingModel, upstreamModel: 'search' };
  for (const one of [chat, search]) await putRoute(sql, { ...route, ...one });
  front = await startApp(sql, { settings: { ENGINE_KEY: tenant.key } });
  owner = await seedTenant(sql, front.models);
  there = new OpenAI({ baseURL: urlOf('chat'), apiKey: tenant.key });
  here = clientOf('chat');
});

after(async () => {
  await front?.stop();
  await engine?.stop();
  for (const database of databases ?? []) await database.drop();
});

const clientOf = (project: string) =>
  new OpenAI({
    baseURL: `${front.origin}/api/projects/${owner.slug}/${project}/openai/v1`,
    apiKey: owner.key,
    maxRetries: 0,
  });

const ledger = () =>
  databases[0]?.database.query<{ model: string; prompt: number; completion: number }>(
    `select model_served as model, prompt_tokens as prompt, completion_tokens as completion
       from ledger where type = 'inference' order by created_at, id`,
  ) ?? [];

const question = (content: string) => ({ messages: [{ role: 'user' as const, content }], temperature: 0, seed: 7 });

test('a base model that is not installed answers through its route as the remote engine does, and is charged here', async () => {
  for (const effort of ['none', 'high'] as const) {
    const asked = { ...question('What is the capital of Orrin?'), reasoning_effort: effort };
    const [ours, theirs] = [
      await here.chat.completions.create({ ...asked, model: remoteModel }),
      await there.chat.completions.create({ ...asked, model: 'chat' }),
    ];
    assert.deepEqual(ours.choices[0]?.message, theirs.choices[0]?.message);
    const counts = ({ usage }: OpenAI.ChatCompletion) => [usage?.prompt_tokens, usage?.completion_tokens];
    assert.deepEqual(counts(ours), counts(theirs));
    assert.equal(ours.model, remoteModel);
  }
  const rows = await ledger();
  assert.deepEqual(
    rows.map(({ model }) => model),
    [remoteModel, remoteModel],
  );
  assert.ok(rows.every(({ prompt, completion }) => prompt > 0 && completion > 0));
});

test('a stream has the text, the calls and the usage of the engine', async () => {
  const weather = {
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'Get the current weather for a city.',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  };
  const asked = {
    ...question('What is the weather in Paris?'),
    reasoning_effort: 'none' as const,
    tools: [weather],
    tool_choice: 'required' as const,
  };
  const whole = await there.chat.completions.create({ ...asked, model: 'chat' });
  const stream = here.chat.completions.stream({
    ...asked,
    model: remoteModel,
    stream_options: { include_usage: true },
  });
  const ours = await stream.finalChatCompletion();
  const callsOf = (completion: OpenAI.ChatCompletion) =>
    completion.choices[0]?.message.tool_calls?.map((call) => (call.type === 'function' ? call.function : null));
  assert.deepEqual(
    callsOf(ours)?.map((call) => [call?.name, call?.arguments]),
    callsOf(whole)?.map((call) => [call?.name, call?.arguments]),
  );
  assert.equal(ours.choices[0]?.finish_reason, 'tool_calls');
  assert.equal(ours.usage?.completion_tokens, whole.usage?.completion_tokens);
});

test('vectors of a route are those of the model, and limits are told before anything is sent', async () => {
  const search = clientOf('search');
  const own = front.models.find(embeddingModel);
  assert.ok(own?.installed);
  const input = ['Does the lamp have a warranty?', 'The lamp has a warranty of two years.'];
  const { data, usage } = await search.embeddings.create({ model: embeddingModel, input, encoding_format: 'float' });
  assert.deepEqual(
    data.map(({ embedding }) => embedding.length),
    [128, 128],
  );
  assert.ok(usage.prompt_tokens > 10);
  const [a = [], b = []] = data.map(({ embedding }) => embedding);
  assert.ok(a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0) > 0.3);
  await assert.rejects(
    search.embeddings.create({ model: embeddingModel, input: 'lamp '.repeat(600) }),
    (error: unknown) => {
      assert.ok(error instanceof OpenAI.BadRequestError);
      assert.equal(error.param, 'input');
      return true;
    },
  );
});

test('the catalogue and the registry show it as served', async () => {
  const headers = { authorization: `Bearer ${owner.key}` };
  const response = await fetch(`${front.origin}/api/v1/base-models`, { headers });
  // as: the contract says so.
  const models = (await response.json()) as { data: { id: string; serving: object }[] };
  const { serving } = models.data.find(({ id }) => id === remoteModel) ?? assert.fail();
  assert.deepEqual(serving, { available: true, runtime_status: 'ready' });
});

test('a caller that leaves ends the call on the remote engine and pays once', async () => {
  const leave = new AbortController();
  const before = (await ledger()).length;
  const stream = await here.chat.completions.create(
    { ...question('Tell me a long story.'), model: remoteModel, stream: true, max_tokens: 3000 },
    { signal: leave.signal },
  );
  for await (const _ of stream) leave.abort();
  for (let n = 0; n < 2_000 && (await ledger()).length === before; n += 1) await new Promise((r) => setTimeout(r, 50));
  assert.equal((await ledger()).length, before + 1);
});

test('when the remote engine is gone, a model that is only there has no capacity, and one that is here too runs here', async () => {
  await engine.stop();
  await assert.rejects(here.chat.completions.create({ ...question('Hello'), model: remoteModel }), (error: unknown) => {
    assert.ok(error instanceof OpenAI.APIError);
    assert.deepEqual([error.status, error.code], [503, 'capacity_unavailable']);
    assert.match(error.headers?.get('retry-after') ?? '', /^[1-9]/);
    return true;
  });
  const { data } = await clientOf('search').embeddings.create({ model: embeddingModel, input: 'lamp' });
  assert.equal(data[0]?.embedding.length, 128);
});
