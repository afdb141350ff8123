import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { OpenAI as LlamaIndexChat, OpenAIEmbedding as LlamaIndexEmbedding } from '@llamaindex/openai';
import { embed, generateText, jsonSchema, Output, streamText, type ToolSet, tool } from 'ai';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Program, startProgram } from '#test/program.ts';

/** Unmodified clients of npm against the running program: beside base URL, key and model each has its defaults. */
let database: TestDatabase;
let program: Program;
let apiKey: string;
const baseURL = (project: 'chat' | 'search') => `${program.url}/api/projects/local/${project}/openai/v1`;

before(async () => {
  database = await createTestDatabase();
  program = await startProgram({ databaseUrl: database.url });
  apiKey = program.key ?? '';
});

after(async () => {
  await program?.stop();
  await database?.drop();
});

const question = 'What is the weather in Riga?';
const city = {
  type: 'object' as const,
  properties: { city: { type: 'string' as const, enum: ['Riga', 'Oslo'] } },
  required: ['city'],
  additionalProperties: false as const,
};

test('LangChain chats, streams, forces a tool call and embeds', async () => {
  const model = new ChatOpenAI({ model: 'chat', apiKey, configuration: { baseURL: baseURL('chat') } });
  const answer = await model.invoke('Hello!');
  assert.ok(answer.text.length > 0);
  // as: the library's types leave it out for a model whose name they do not know.
  const usage = answer.usage_metadata as { total_tokens: number } | undefined;
  assert.ok(usage && usage.total_tokens > 0);
  let streamed = '';
  for await (const chunk of await model.stream('Hello!')) streamed += chunk.text;
  assert.ok(streamed.length > 0);
  const forced = model.bindTools([{ type: 'function', function: { name: 'get_weather', parameters: city } }], {
    tool_choice: 'required',
  });
  const { tool_calls: calls } = await forced.invoke(question);
  assert.equal(calls?.[0]?.name, 'get_weather');
  assert.ok(city.properties.city.enum.includes(calls[0].args['city']));
  const embeddings = new OpenAIEmbeddings({ model: 'search', apiKey, configuration: { baseURL: baseURL('search') } });
  const [lamp, desk] = await embeddings.embedDocuments(['a lamp', 'a desk']);
  assert.equal(lamp?.length, desk?.length);
  await assert.rejects(embeddings.embedDocuments(['a lamp', 'a desk', 'a chair']), /batch size of your client to 2/);
});

test('the AI SDK chats, streams, calls tools, keeps to a schema and embeds', async () => {
  const chat = createOpenAICompatible({
    name: 'fanfold',
    apiKey,
    baseURL: baseURL('chat'),
    supportsStructuredOutputs: true,
  });
  const { text, usage } = await generateText({ model: chat('chat'), prompt: 'Hello!' });
  assert.ok(text.length > 0);
  assert.ok((usage.totalTokens ?? 0) > 0);
  let streamed = '';
  for await (const part of streamText({ model: chat('chat'), prompt: 'Hello!' }).textStream) streamed += part;
  assert.ok(streamed.length > 0);
  // as: the library's types do not fit exactOptionalPropertyTypes.
  const get_weather = tool({ inputSchema: jsonSchema<{ city: string }>(city) }) as ToolSet[string];
  const called = await generateText({
    model: chat('chat'),
    prompt: question,
    tools: { get_weather },
    toolChoice: 'required',
  });
  assert.equal(called.toolCalls[0]?.toolName, 'get_weather');
  const { output } = await generateText({
    model: chat('chat'),
    prompt: question,
    output: Output.object({ schema: jsonSchema<{ city: string }>(city) }),
  });
  assert.ok(city.properties.city.enum.includes(output.city));
  const search = createOpenAICompatible({ name: 'fanfold', apiKey, baseURL: baseURL('search') });
  const { embedding } = await embed({ model: search.embeddingModel('search'), value: 'a lamp' });
  assert.ok(embedding.length > 0);
});

test('LlamaIndex chats, streams and embeds', async () => {
  const model = new LlamaIndexChat({ model: 'chat', apiKey, baseURL: baseURL('chat') });
  const messages = [{ role: 'user' as const, content: 'Hello!' }];
  const { message } = await model.chat({ messages });
  assert.ok(String(message.content).length > 0);
  let streamed = '';
  for await (const { delta } of await model.chat({ messages, stream: true })) streamed += delta;
  assert.ok(streamed.length > 0);
  const embeddings = new LlamaIndexEmbedding({ model: 'search', apiKey, baseURL: baseURL('search') });
  assert.ok((await embeddings.getTextEmbedding('a lamp')).length > 0);
});
