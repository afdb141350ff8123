import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { prompt } from './chat-call.fixture.ts';
import { fileEngines, isFault, routeTo, signal } from './remote-engine.fixture.ts';

const { upstream, engineOf, engineWith } = fileEngines();

test('vectors come in the order of the inputs and of unit length; others than asked for are a failure', async () => {
  const rows = [
    { index: 1, embedding: [0, 5] },
    { index: 0, embedding: [3, 4] },
  ];
  const server = await upstream(({ path, body }, response) => {
    if (path === '/tokenize')
      return void response.writeHead(200).end(JSON.stringify({ count: String(body.prompt).length }));
    return void response.writeHead(200).end(JSON.stringify({ data: rows.slice(0, (body.input as string[]).length) }));
  });
  const engine = engineOf(routeTo('a', server.url, { kind: 'embedding', api: 'vllm', dimensions: 2 }));
  const inputs = { target: prompt.target, texts: ['ab', 'c'], maxInputTokens: 9, truncate: false };
  const prepared = await engine.prepareEmbedding(inputs, signal());
  assert.deepEqual(
    prepared.inputs.map(({ tokens }) => tokens),
    [2, 1],
  );
  const { vectors, promptTokens } = await engine.embed({ handle: prepared.handle, signal: signal() });
  assert.deepEqual(
    vectors.map((vector) => [...vector].map((value) => Number(value.toFixed(3)))),
    [
      [0.6, 0.8],
      [0, 1],
    ],
  );
  assert.equal(promptTokens, 3);
  const one = await engine.prepareEmbedding({ ...inputs, texts: ['ab'] }, signal());
  await assert.rejects(engine.embed({ handle: one.handle, signal: signal() }), isFault('generation_failed'));
});

test('an input that an engine cannot cut is refused before anything is run, and named; one that fits is not', async () => {
  const asked: string[] = [];
  const server = await upstream(({ path, body }, response) => {
    asked.push(path);
    const text = String(body.prompt ?? body.content ?? body.inputs);
    const tokens = Array.from(text, (_, index) => index);
    const counted = Array.isArray(body.inputs) ? [tokens.map((id) => ({ id }))] : { count: tokens.length, tokens };
    return void response.writeHead(200).end(JSON.stringify(counted));
  });
  const wanted = { target: prompt.target, maxInputTokens: 3, truncate: true };
  for (const [api, isCut] of [
    ['vllm', true],
    ['tei', true],
    ['llama-server', false],
    ['sglang', false],
    ['openai', false],
  ] as const) {
    const route = routeTo('a', server.url, { kind: 'embedding', api, dimensions: 2 });
    const engine = engineWith([route], async (_model, items) =>
      items.map((item) => {
        const tokens = 'texts' in item ? item.texts.join('').length : 0;
        return { tokens, longest: tokens };
      }),
    );
    const long = engine.prepareEmbedding({ ...wanted, texts: ['abcdef'] }, signal());
    if (isCut) assert.deepEqual((await long).inputs, [{ tokens: 3, truncated: true }], api);
    else
      await assert.rejects(long, (error) => {
        assert.ok(error instanceof Fault && error.fault === 'invalid_request', api);
        assert.equal(error.options.param, 'truncate');
        assert.match(error.message, /^truncate: an input has 6 tokens, the limit is 3, and the engine/);
        return true;
      });
    const short = await engine.prepareEmbedding({ ...wanted, texts: ['abc'] }, signal());
    assert.deepEqual(short.inputs, [{ tokens: 3, truncated: false }], api);
  }
  assert.ok(asked.every((path) => path === '/tokenize'));
});

test('documents are scored in the form of each engine, and scores come in the order of the documents', async () => {
  const asked: { path: string; body: Record<string, unknown> }[] = [];
  const server = await upstream(({ path, body }, response) => {
    const json = (value: unknown) => void response.writeHead(200).end(JSON.stringify(value));
    if (path === '/tokenize') {
      const texts = Array.isArray(body.inputs) ? body.inputs.map(String) : [String(body.prompt ?? body.content)];
      const counted = texts.map((text) => Array.from(text, (_, id) => ({ id })));
      return json(Array.isArray(body.inputs) ? counted : { count: counted[0]?.length, tokens: counted[0] });
    }
    asked.push({ path, body });
    const scored = [
      { index: 1, score: 0.75 },
      { index: 0, score: 0.25 },
    ];
    if (path === '/rerank' || body.model === 'bare') return json(scored);
    const results = scored.map(({ index, score }) => ({ index, relevance_score: score }));
    return json({ results, usage: { total_tokens: 21 } });
  });
  const inputs = { target: prompt.target, texts: ['ab', 'c'], query: 'why', maxInputTokens: 9, truncate: true };
  const here = async (_model: string, items: readonly unknown[]) => items.map(() => ({ tokens: 3, longest: 3 }));
  for (const [api, upstreamModel, promptTokens] of [
    ['vllm', 'theirs', 21],
    ['llama-server', 'theirs', 21],
    ['sglang', 'bare', 9],
    ['tei', 'theirs', 9],
    ['openai', 'theirs', 21],
  ] as const) {
    const engine = engineWith([routeTo('a', server.url, { kind: 'reranker', api, upstreamModel })], here);
    const prepared = await engine.prepareEmbedding(inputs, signal());
    const counted = prepared.inputs.map(({ tokens }) => tokens);
    assert.deepEqual(counted, api === 'openai' ? [6, 6] : [5, 4], api);
    const answer = await engine.embed({ handle: prepared.handle, signal: signal() });
    assert.deepEqual(answer.vectors, [Float32Array.of(0.25), Float32Array.of(0.75)], api);
    assert.equal(answer.promptTokens, promptTokens, api);
    const capped = engine.prepareEmbedding({ ...inputs, maxDocumentTokens: 2 }, signal());
    await assert.rejects(capped, (error) => error instanceof Fault && error.options.param === 'max_tokens_per_doc');
  }
  const documents = { query: 'why', documents: ['ab', 'c'] };
  assert.deepEqual(asked, [
    { path: '/v1/rerank', body: { model: 'theirs', ...documents, truncate_prompt_tokens: 9 } },
    { path: '/v1/rerank', body: { model: 'theirs', ...documents } },
    { path: '/v1/rerank', body: { model: 'bare', ...documents } },
    { path: '/rerank', body: { query: 'why', texts: ['ab', 'c'], truncate: true } },
    { path: '/v1/rerank', body: { model: 'theirs', ...documents } },
  ]);
});

test('an engine without reranking, or whose scores do not fit, fails the call', async () => {
  const server = await upstream(({ path }, response) => {
    const answer = path === '/v1/rerank' ? { results: [{ index: 0, relevance_score: 1 }] } : { count: 1 };
    return void response.writeHead(200).end(JSON.stringify(answer));
  });
  for (const api of ['lmdeploy', 'vllm'] as const) {
    const here = async (_model: string, items: readonly unknown[]) => items.map(() => ({ tokens: 1, longest: 1 }));
    const engine = engineWith([routeTo('a', server.url, { kind: 'reranker', api })], here);
    const inputs = { target: prompt.target, texts: ['ab', 'c'], query: 'why', maxInputTokens: 9, truncate: false };
    const { handle } = await engine.prepareEmbedding(inputs, signal());
    await assert.rejects(engine.embed({ handle, signal: signal() }), isFault('generation_failed'), api);
  }
});
