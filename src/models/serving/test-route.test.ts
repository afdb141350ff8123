import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import type { ModelKind } from '../model-kinds.ts';
import { testRoute } from './test-route.ts';

type Got = { path: string; body: Record<string, unknown> };
type Answer = { status?: number; body: object | string };

/** An engine on loopback that has a model and gives one answer. */
async function startEngine(t: TestContext, { status = 200, body }: Answer) {
  const got: Got[] = [];
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    if (request.method === 'GET') return { body: { data: [{ id: 'there' }] } };
    // as: what is sent is an object.
    got.push({ path: request.url ?? '', body: (await json(request)) as Got['body'] });
    return { status, body };
  };
  const server = createServer((request, response) => {
    void answer(request).then(({ status: code = 200, body: content }) =>
      response.writeHead(code).end(typeof content === 'string' ? content : JSON.stringify(content)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  // as: it listens on a port.
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

async function tryEngine(
  t: TestContext,
  answer: Answer,
  { kind = 'text', api = 'vllm' }: { kind?: ModelKind; api?: string } = {},
) {
  const { got, url } = await startEngine(t, answer);
  const row = { id: 'gpu-1', baseModelId: 'base', api, url, upstreamModel: 'there', secretSource: null };
  const route = { ...row, capacity: 1, weight: 1, draining: false };
  return { result: await testRoute(route, { kind, environment: {} }), got };
}

const chat = (message: object) => ({ body: { choices: [{ message }] } });

test('a test generates a few tokens and shows them', async (t) => {
  const { result, got } = await tryEngine(t, chat({ content: 'Hello!' }));
  assert.equal(result.error, null);
  assert.deepEqual({ ...result.answer, latencyMs: 0 }, { text: 'Hello!', dimensions: null, score: null, latencyMs: 0 });
  const [request] = got;
  assert.equal(request?.path, '/v1/chat/completions');
  assert.deepEqual([request?.body['model'], request?.body['max_tokens']], ['there', 16]);
});

test('where reasoning takes all tokens it is shown, as each engine calls it', async (t) => {
  for (const name of ['reasoning_content', 'reasoning']) {
    const { result } = await tryEngine(t, chat({ content: null, [name]: 'They want a greeting' }), { api: 'openai' });
    assert.deepEqual([result.answer?.text, result.error], ['They want a greeting', null]);
  }
});

test('an embedding model embeds a text, in the form of its engine', async (t) => {
  const openai = await tryEngine(t, { body: { data: [{ index: 0, embedding: [0.6, 0.8] }] } }, { kind: 'embedding' });
  assert.deepEqual([openai.got[0]?.path, openai.result.answer?.dimensions], ['/v1/embeddings', 2]);
  const tei = await tryEngine(t, { body: [[1, 2, 3]] }, { kind: 'embedding', api: 'tei' });
  assert.deepEqual([tei.got[0]?.path, tei.result.answer?.dimensions], ['/embed', 3]);
});

test('a reranker scores a document, unless its engine has no such route', async (t) => {
  const { result } = await tryEngine(
    t,
    { body: { results: [{ index: 0, relevance_score: 0.9 }] } },
    { kind: 'reranker' },
  );
  assert.deepEqual([result.answer?.score, result.error], [0.9, null]);
  const lacking = await tryEngine(t, { body: {} }, { kind: 'reranker', api: 'lmdeploy' });
  assert.match(lacking.result.error ?? '', /serves no model of the kind reranker/);
});

test('an engine that fails while it generates is told with its own words', async (t) => {
  const failures: [Answer, RegExp][] = [
    [
      { status: 500, body: { error: { message: 'CUDA out of memory' } } },
      /no answer.*It answered 500: .*CUDA out of memory/,
    ],
    [{ body: '<html>proxy</html>' }, /unknown form: <html>proxy/],
    [chat({ content: '' }), /unknown form/],
    [{ body: { choices: [] } }, /unknown form/],
  ];
  for (const [answer, expected] of failures) {
    const { result } = await tryEngine(t, answer);
    assert.equal(result.reachable, true);
    assert.equal(result.answer, null);
    assert.match(result.error ?? '', expected);
  }
});
