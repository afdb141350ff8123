import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { prompt } from './chat-call.fixture.ts';
import { fileEngines, isFault, routeTo, signal } from './remote-engine.fixture.ts';

const { upstream, engineOf } = fileEngines();
const scope = 'ada';
const baseModelId = 'big';

test('each engine is asked for tokens, and for their text, in its own form', async () => {
  const asked: [path: string, body: Record<string, unknown>][] = [];
  const server = await upstream(({ path, body }, response) => {
    asked.push([path, body]);
    const answers: Record<string, unknown> = {
      '/apply-template': { prompt: 'rendered' },
      '/tokenize': body.inputs ? [[{ id: 5 }, { id: 6 }]] : { tokens: [5, 6], count: 2 },
      '/detokenize': { [body.model === 'sglang' ? 'text' : body.model ? 'prompt' : 'content']: 'hi' },
      '/decode': ['hi'],
    };
    return void response.writeHead(200).end(JSON.stringify(answers[path]));
  });
  for (const [api, chats] of [
    ['vllm', true],
    ['sglang', true],
    ['llama-server', true],
    ['tei', false],
  ] as const) {
    const engine = engineOf(routeTo('a', server.url, { api, upstreamModel: api }));
    const text = { text: 'hello', addSpecialTokens: false };
    assert.deepEqual(await engine.tokenize({ baseModelId, scope, input: text }, signal()), [5, 6], api);
    assert.equal(await engine.detokenize({ baseModelId, scope, tokens: [5, 6] }, signal()), 'hi', api);
    const ofChat = engine.tokenize({ baseModelId, scope, input: { prompt } }, signal());
    if (chats) assert.deepEqual(await ofChat, [5, 6], api);
    else await assert.rejects(ofChat, isFault('generation_failed'));
  }
  const messages = [{ role: 'user', content: 'Hello' }];
  const ofVllm = (model: string) => [
    ['/tokenize', { model, prompt: 'hello', add_special_tokens: false }],
    ['/detokenize', { model, tokens: [5, 6] }],
    ['/tokenize', { model, messages, add_generation_prompt: true }],
  ];
  assert.deepEqual(asked, [
    ...ofVllm('vllm'),
    ...ofVllm('sglang'),
    ['/tokenize', { content: 'hello', add_special: false }],
    ['/detokenize', { tokens: [5, 6] }],
    ['/apply-template', { messages, add_generation_prompt: true }],
    ['/tokenize', { content: 'rendered', add_special: true, parse_special: true }],
    ['/tokenize', { inputs: ['hello'], add_special_tokens: false }],
    ['/decode', { ids: [[5, 6]], skip_special_tokens: false }],
  ]);
});

test('an engine without a route for tokens is named as the reason', async () => {
  const server = await upstream((_request, response) => void response.writeHead(200).end('{}'));
  for (const api of ['openai', 'lmdeploy'] as const) {
    const engine = engineOf(routeTo('a', server.url, { api }));
    await assert.rejects(engine.detokenize({ baseModelId, scope, tokens: [1] }, signal()), (error) => {
      assert.ok(error instanceof Fault && error.fault === 'invalid_request', api);
      assert.match(error.message, /has no route for tokens/);
      return error.options.param === 'model';
    });
  }
});
