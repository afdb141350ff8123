import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ChatPrompt } from '../port.ts';
import { prompt, sampling } from './chat-call.fixture.ts';
import type { DialectName } from './dialects/index.ts';
import { fileEngines, isFault, routeTo, signal } from './remote-engine.fixture.ts';
import type { RemoteEngine } from './remote-engine.ts';
import type { ServingRoute } from './serving-route.ts';
import { type Behave, delta, finish, type Got, stream } from './upstream.fixture.ts';

const { upstream, engineOf } = fileEngines();

const answer: Behave = ({ body }, response) =>
  body.stream
    ? stream(response, [delta({ content: 'Hi.' }), finish('stop')])
    : void response.writeHead(200).end('{"choices":[{"message":{"content":"."},"finish_reason":"length"}]}');
/** With room for prompts that are not counted first. */
const roomy = (url: string, more: Partial<ServingRoute>) => routeTo('a', url, { maxContextTokens: 10_000, ...more });
const refusal = '{"error":{"message":"thinking_token_budget is set but reasoning_config is not configured."}}';
/** A vLLM without a reasoning parser: it finds out about a stream when that has begun. */
const unbounded: Behave = (got, response) => {
  if (got.body.thinking_token_budget === undefined) return answer(got, response);
  if (got.body.stream) return stream(response, [JSON.parse(refusal)]);
  return void response.writeHead(400).end(refusal);
};

async function ask(
  engine: RemoteEngine,
  maxReasoningTokens: number | null,
  more: Partial<ChatPrompt> = {},
  abort = signal(),
) {
  const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 1, ...more }, abort);
  const asked = { ...sampling, maxReasoningTokens };
  return engine.generate({ handle, sampling: asked, cacheScope: 'ada', signal: abort }, () => {});
}

const boundIn = ({ body }: Got) => [body.thinking_token_budget, body.custom_params, body.thinking_budget_tokens];

test('a bound of reasoning goes to the engines that know one, in their own words', async () => {
  const server = await upstream(answer);
  const none = [undefined, undefined, undefined];
  const expected: Partial<Record<DialectName, unknown[]>> = {
    vllm: [7, undefined, undefined],
    sglang: [undefined, { thinking_budget: 7 }, undefined],
    'llama-server': [undefined, undefined, 7],
    openai: none,
  };
  for (const api of ['vllm', 'sglang', 'llama-server', 'openai'] as const) {
    const engine = engineOf(roomy(server.url, { api }));
    const sent = async (most: number | null, more: Partial<ChatPrompt> = {}) => {
      await ask(engine, most, more);
      return boundIn(server.got.at(-1) as Got);
    };
    assert.deepEqual(await sent(7), expected[api], api);
    assert.deepEqual(await sent(7, { reasoningEffort: 'high' }), expected[api], api);
    assert.deepEqual(await sent(null), none, api);
    assert.deepEqual(await sent(7, { reasoningEffort: 'none' }), none, api);
  }
});

test('vLLM is asked once whether it knows a bound, and one that does not gets none', async () => {
  for (const [behave, knows] of [
    [answer, true],
    [unbounded, false],
  ] as const) {
    const server = await upstream(behave);
    const engine = engineOf(roomy(server.url, { api: 'vllm' }));
    for (let n = 0; n < 3; n += 1) assert.equal((await ask(engine, 9)).reason, 'stop');
    const [question, ...calls] = server.got;
    assert.deepEqual([question?.body.max_tokens, question?.body.model], [1, 'theirs']);
    assert.deepEqual(
      calls.map(({ body }) => body.thinking_token_budget),
      Array.from({ length: 3 }, () => (knows ? 9 : undefined)),
    );
  }
});

test('what was no answer to that question is no answer, and the call goes without a bound', async () => {
  let isBusy = true;
  const server = await upstream((got, response) =>
    isBusy && !got.body.stream ? void response.writeHead(503).end('{}') : answer(got, response),
  );
  const engine = engineOf(roomy(server.url, { api: 'vllm' }));
  await ask(engine, 9);
  assert.equal(server.got.at(-1)?.body.thinking_token_budget, undefined);
  isBusy = false;
  await ask(engine, 9);
  assert.equal(server.got.at(-1)?.body.thinking_token_budget, 9);
});

test('an engine that breaks off at that question has not had the call, and a caller may leave while it is asked', async () => {
  const broken = await upstream((_got, response) => void response.destroy());
  const good = await upstream(answer);
  const { reason } = await ask(
    engineOf(roomy(broken.url, { api: 'vllm', weight: 9 }), roomy(good.url, { id: 'b' })),
    9,
  );
  assert.deepEqual([reason, good.got.length], ['stop', 1]);
  await assert.rejects(ask(engineOf(roomy(broken.url, { api: 'vllm' })), 9), isFault('capacity_unavailable'));

  const leave = new AbortController();
  const silent = await upstream(() => leave.abort());
  const left = await ask(engineOf(roomy(silent.url, { api: 'vllm' })), 9, {}, leave.signal);
  assert.deepEqual([left.reason, left.activeMs, silent.got.length], ['cancelled', 0, 1]);
});
