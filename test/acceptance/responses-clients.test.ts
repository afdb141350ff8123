import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOpenAI, type OpenAIResponsesProviderOptions } from '@ai-sdk/openai';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentTool, OpenAIProvider, Runner } from '@openai/agents';
import { generateText, jsonSchema, Output, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** Unmodified clients of npm that speak the Responses API by default, against the running program. */
let database: TestDatabase;
let program: Program;
let apiKey: string;
let baseURL: string;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  apiKey = program.key ?? '';
  baseURL = `${program.url}/api/projects/local/chat/openai/v1`;
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

const question = 'What is the weather in Paris?';
const city = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const } },
  required: ['city'],
  additionalProperties: false as const,
};

const sum = 'What is 7 plus 5?';

/** For models that reason the SDK sends no temperature, and what is left to chance may come out without a thought. */
const greedy: typeof fetch = (url, init) =>
  fetch(url, { ...init, body: JSON.stringify({ ...JSON.parse(String(init?.body)), temperature: 0 }) });

/** Told that the model reasons, which its name does not say. */
const openai = (settings: OpenAIResponsesProviderOptions = {}) => ({
  openai: { forceReasoning: true, reasoningSummary: 'auto', reasoningEffort: 'low', ...settings },
});

for (const store of [false, true])
  test(`the AI SDK answers, streams and runs a tool loop, and stores ${store ? 'what it does' : 'nothing'}`, async () => {
    const model = createOpenAI({ baseURL, apiKey, fetch: greedy })('chat');
    const providerOptions = openai({ store });
    const plain = await generateText({ model, prompt: sum, providerOptions });
    assert.ok(plain.text.length > 0 && (plain.usage.totalTokens ?? 0) > 0);
    assert.ok((plain.reasoningText ?? '').length > 0);
    const stream = streamText({ model, prompt: sum, providerOptions });
    let streamed = '';
    for await (const text of stream.textStream) streamed += text;
    assert.ok(streamed.length > 0);
    assert.equal(await stream.finishReason, 'stop');
    assert.ok(((await stream.reasoningText) ?? '').length > 0);
    const asked: string[] = [];
    const look = tool({
      description: 'Get the current weather for a city.',
      inputSchema: jsonSchema<{ city: string }>(city),
      execute: ({ city: name }) => {
        asked.push(name);
        return { temp: 21 };
      },
    });
    for (const run of [generateText, streamText]) {
      asked.length = 0;
      const tools = { get_weather: look };
      const result = run({ model, prompt: question, tools, stopWhen: stepCountIs(4), providerOptions });
      const { steps, text } = 'then' in result ? await result : { steps: await result.steps, text: await result.text };
      assert.ok(steps.length >= 2, 'it went on after the call');
      assert.ok(asked.length >= 1 && text.length > 0);
    }
  });

test('the AI SDK keeps to a schema, and shows errors as they are', async () => {
  const provider = createOpenAI({ baseURL, apiKey, fetch: greedy });
  const output = Output.object({ schema: jsonSchema<{ city: string }>(city) });
  const providerOptions = { openai: { store: false } };
  const parsed = await generateText({ model: provider('chat'), prompt: 'Ada is in Paris.', output, providerOptions });
  assert.equal(typeof parsed.output.city, 'string');
  const refused = generateText({ model: provider('nothing'), prompt: 'x', maxRetries: 0 });
  await assert.rejects(refused, /There is no model "nothing"/);
  const long = generateText({ model: provider('chat'), prompt: 'word '.repeat(6_000), maxRetries: 0 });
  await assert.rejects(long, /exceeds the context window/);
  const stop = new AbortController();
  const stream = streamText({ model: provider('chat'), prompt: 'Hello!', abortSignal: stop.signal, onError: () => {} });
  for await (const part of stream.fullStream) if (part.type === 'text-delta') stop.abort();
});

test('agents of OpenAI run a tool loop and stream, with a schema and a handoff', async () => {
  const client = new OpenAI({ baseURL, apiKey, maxRetries: 20 });
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client }), tracingDisabled: true });
  const asked: string[] = [];
  const look = agentTool({
    name: 'get_weather',
    description: 'Get the current weather for a city.',
    strict: true,
    parameters: city,
    execute: (input) => {
      asked.push(String(Reflect.get(Object(input), 'city')));
      return '21 degrees';
    },
  });
  const guide = new Agent({ name: 'Guide', model: 'chat', tools: [look], modelSettings: { temperature: 0 } });
  const result = await runner.run(guide, question);
  assert.deepEqual(asked, ['Paris']);
  assert.ok((result.finalOutput ?? '').length > 0);
  const stream = await runner.run(guide, question, { stream: true });
  let streamed = '';
  for await (const event of stream) {
    if (event.type === 'raw_model_stream_event' && event.data.type === 'output_text_delta')
      streamed += event.data.delta;
  }
  await stream.completed;
  assert.ok(streamed.length > 0);
  const sorter = new Agent({
    name: 'Sorter',
    model: 'chat',
    modelSettings: { temperature: 0 },
    outputType: { type: 'json_schema', name: 'place', strict: true, schema: city },
  });
  const sorted = await runner.run(sorter, 'Ada is in Paris.');
  assert.equal(typeof Reflect.get(Object(sorted.finalOutput), 'city'), 'string');
});

test('LangChain answers, streams, calls tools and shows reasoning with its setting for responses', async () => {
  const settings = { model: 'chat', apiKey, configuration: { baseURL }, useResponsesApi: true, temperature: 0 };
  // It sends `reasoning` only to models whose names it knows as reasoning.
  const model = new ChatOpenAI({ ...settings, reasoning: { effort: 'low', summary: 'auto' } });
  const answer = await model.invoke(sum);
  assert.ok(answer.text.length > 0);
  const thought: unknown = answer.additional_kwargs['reasoning'];
  assert.ok(JSON.stringify(thought).includes('reasoning_text'));
  let streamed = '';
  for await (const chunk of await model.stream('Hello!')) streamed += chunk.text;
  assert.ok(streamed.length > 0);
  const forced = model.bindTools([{ type: 'function', function: { name: 'get_weather', parameters: city } }], {
    tool_choice: 'required',
  });
  const asked = await forced.invoke(question);
  const [call] = asked.tool_calls ?? [];
  assert.equal(call?.name, 'get_weather');
  const result = { role: 'tool', content: '21 degrees', tool_call_id: call?.id ?? '' };
  const final = await model.invoke([{ role: 'user', content: question }, asked, result]);
  assert.ok(final.text.length > 0);
  const parsed = await model.withStructuredOutput(city, { name: 'place' }).invoke('Ada is in Paris.');
  assert.equal(typeof parsed['city'], 'string');
  await assert.rejects(model.invoke('word '.repeat(6_000)), /exceeds the context window/);
});
