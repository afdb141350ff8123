import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { countTexts } from './count-tokens.ts';
import { TransportError } from './http/transport.ts';
import type { RemoteApi, ServingRoute } from './serving-route.ts';
import { type Behave, startUpstream } from './upstream.fixture.ts';
import { openUpstream } from './upstream.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const texts = Array.from({ length: 70 }, (_, n) => 'x'.repeat(1 + (n % 9)));
const lengths = texts.map(({ length }) => length);

async function count(api: RemoteApi, behave: Behave) {
  const server = await startUpstream(behave);
  const upstream = openUpstream({ url: server.url, api, secret: null, capacity: 4 });
  stops.push(upstream.close, server.stop);
  // as: what counting reads of a route.
  const route = { api, baseModelId: 'big', upstreamModel: 'theirs' } as ServingRoute;
  const asked = { route, upstream, local: async () => null, signal: AbortSignal.timeout(180_000) };
  return { counts: await countTexts(texts, asked), asked: server.got.length };
}

const answered = (value: (body: Record<string, unknown>) => unknown): Behave => {
  return ({ body }, response) => void response.writeHead(200).end(JSON.stringify(value(body)));
};

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
