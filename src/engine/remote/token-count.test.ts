import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { prompt } from './chat-call.fixture.ts';
import { type DialectName, engineDialects } from './dialects/index.ts';
import { promptFields } from './remote-chat.ts';
import { countPrompt, countTexts } from './token-count.ts';
import { type Behave, startUpstream } from './upstream.fixture.ts';
import { openUpstream, TransportError } from './upstream.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const texts = Array.from({ length: 70 }, (_, n) => 'x'.repeat(1 + (n % 9)));
const lengths = texts.map(({ length }) => length);

/** An upstream as its route sees it. */
async function reached(api: DialectName, behave: Behave) {
  const dialect = engineDialects[api];
  const server = await startUpstream(behave);
  const upstream = openUpstream({ url: server.url, ...dialect, secret: null, capacity: 4 });
  stops.push(upstream.close, server.stop);
  const route = { baseModelId: 'big', upstreamModel: 'theirs', maxContextTokens: 100 };
  return { got: server.got, asked: { route, dialect, upstream, signal: AbortSignal.timeout(180_000) } };
}

async function count(api: DialectName, behave: Behave) {
  const { got, asked } = await reached(api, behave);
  return { counts: await countTexts(texts, { ...asked, local: async () => null }), asked: got.length };
}

const answered = (value: (body: Record<string, unknown>) => unknown): Behave => {
  return ({ body }, response) => void response.writeHead(200).end(JSON.stringify(value(body)));
};

const countOf = (chat: typeof prompt, options: Parameters<typeof countPrompt>[2]) =>
  countPrompt(chat, promptFields(options.dialect, chat), options);

test('every text of many is counted by the engine, in the order of the texts', async () => {
  const ofTei = answered(({ inputs }) => (inputs as string[]).map((text) => Array.from(text)));
  assert.deepEqual(await count('tei', ofTei), { counts: lengths, asked: 3 });
  const ofVllm = answered(({ prompt }) => ({ count: String(prompt).length }));
  for (const api of ['vllm', 'sglang'] as const)
    assert.deepEqual(await count(api, ofVllm), { counts: lengths, asked: texts.length });
  const ofLlama = answered(({ content }) => ({ tokens: Array.from(String(content)) }));
  assert.deepEqual(await count('llama-server', ofLlama), { counts: lengths, asked: texts.length });
});

test('an engine that has no such route is asked once', async () => {
  const missing: Behave = (_got, response) => void response.writeHead(404).end('{}');
  for (const api of ['tei', 'vllm', 'sglang', 'llama-server'] as const)
    assert.deepEqual(await count(api, missing), { counts: null, asked: 1 });
  assert.deepEqual(await count('openai', missing), { counts: null, asked: 0 });
});

test('an engine that counts with a page, or breaks off, counts nothing and is no fault of the caller', async () => {
  const page: Behave = (_got, response) => void response.writeHead(200).end('<html>');
  assert.deepEqual(await count('vllm', page), { counts: null, asked: 1 });
  const cutting: Behave = (_got, response) => {
    response.writeHead(200, { 'content-length': '100' }).write('{"count":');
    response.socket?.end();
  };
  await assert.rejects(count('vllm', cutting), TransportError);
});

test('one text that cannot be counted leaves none counted', async () => {
  const most: Behave = ({ body }, response) =>
    String(body.prompt).length === 9
      ? void response.writeHead(500).end()
      : answered(() => ({ count: 1 }))({ path: '', headers: {}, body }, response);
  assert.equal((await count('vllm', most)).counts, null);
});

test('an engine whose count cannot be one counts nothing', async () => {
  for (const written of ['-1', '1.5', '"7"', 'null', '1e999', '2147483648']) {
    const wrong: Behave = (_got, response) => void response.writeHead(200).end(`{"count": ${written}}`);
    assert.deepEqual(await count('vllm', wrong), { counts: null, asked: 1 }, written);
  }
});

test('a prompt is counted by the engine as it would run it, tools, choice and reasoning included', async () => {
  const tools = [{ name: 'weather', description: null, parameters: { type: 'object' } }];
  const chat = { ...prompt, tools, toolChoice: { mode: 'none' }, reasoningEffort: 'none' } as const;
  const local = () => assert.fail('nobody counts here');
  for (const [api, expected] of [
    ['vllm', { add_generation_prompt: true }],
    ['sglang', { tool_choice: 'none' }],
  ] as const) {
    const { got, asked } = await reached(
      api,
      answered(() => ({ count: 42 })),
    );
    assert.equal(await countOf({ ...chat, tools: [...tools] }, { ...asked, local }), 42);
    assert.equal(await countOf(prompt, { ...asked, local }), 42);
    const { model, messages, tools: told, ...rest } = got[0]?.body ?? {};
    assert.deepEqual([model, messages], ['theirs', [{ role: 'user', content: 'Hello' }]]);
    assert.ok(Array.isArray(told) && told.length === 1);
    assert.deepEqual(rest, { chat_template_kwargs: { enable_thinking: false }, ...expected });
    assert.equal(got[1]?.body.tool_choice, undefined);
  }
});

test('a prompt that its engine does not count is counted here, no further than its context', async () => {
  const missing: Behave = (_got, response) => void response.writeHead(404).end('{}');
  for (const api of ['openai', 'vllm', 'sglang', 'llama-server'] as const) {
    const { asked } = await reached(api, missing);
    const counted: unknown[] = [];
    const local = async (chat: typeof prompt, most: number) => {
      counted.push([chat, most]);
      return 7;
    };
    assert.equal(await countOf(prompt, { ...asked, local }), 7);
    assert.deepEqual(counted, [[prompt, 100]]);
    assert.equal(await countOf(prompt, { ...asked, local: async () => null }), null);
  }
});
