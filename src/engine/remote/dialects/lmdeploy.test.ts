import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Fault, systemClock } from '#kernel';
import { startLmdeployServer } from '#test/lmdeploy-server.ts';
import type { ChatPrompt, Delta, Sampling } from '../../port.ts';
import { prompt, sampling } from '../chat-call.fixture.ts';
import { routeTo, signal } from '../remote-engine.fixture.ts';
import { createRemoteEngine } from '../remote-engine.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

async function connected({ contextTokens = 4_096 } = {}) {
  const server = await startLmdeployServer({ contextTokens });
  const routes = [routeTo('a', server.url, { api: 'lmdeploy', maxContextTokens: 100_000 })];
  const options = { routes: () => routes, countHere: async () => null, clock: systemClock, log: () => {} };
  const engine = createRemoteEngine({ ...options, health: { everyMs: 10 } });
  stops.push(() => engine.close(), server.stop);
  const chat = async (more: Partial<ChatPrompt & Sampling> = {}, whole = false) => {
    const deltas: Delta[] = [];
    const { handle } = await engine.prepareChat({ ...prompt, ...more, maxTokens: 10 }, signal());
    const call = {
      handle,
      sampling: { ...sampling, ...more, maxTokens: 10 },
      cacheScope: 'ada',
      signal: signal(),
      whole,
    };
    const { reason, usage } = await engine.generate(call, (each) => deltas.push(each));
    return { deltas, reason, usage };
  };
  return { engine, server, chat };
}

test('an answer of LMDeploy has its reasoning, its text and its counts, streamed or whole', async () => {
  const { chat } = await connected();
  for (const whole of [false, true])
    assert.deepEqual(await chat({}, whole), {
      deltas: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'content', text: 'Hi.' },
      ],
      reason: 'stop',
      usage: { promptTokens: 9, completionTokens: 4, reasoningTokens: 2, cachedTokens: 2 },
    });
});

test('LMDeploy is sent what it takes: top-k, reasoning by the template, and no top-p of 0', async () => {
  const { chat, server } = await connected();
  await chat({ topK: 40, reasoningEffort: 'none', maxReasoningTokens: 9 });
  await chat({ topP: 0, reasoningEffort: 'high' });
  const [without, greedy] = server.requests;
  assert.deepEqual([without?.top_k, without?.chat_template_kwargs], [40, { enable_thinking: false }]);
  assert.equal(without?.reasoning_effort, undefined);
  assert.deepEqual([greedy?.top_p, greedy?.top_k, greedy?.reasoning_effort], [1, 1, 'high']);
});

test('a prompt that LMDeploy finds too long is explained to the caller, and a sleeping engine is left out', async () => {
  const { chat, server } = await connected({ contextTokens: 4 });
  const isFault = (code: string, words: RegExp) => (error: unknown) =>
    error instanceof Fault && error.fault === code && words.test(error.message);
  await assert.rejects(chat(), isFault('invalid_request', /maximum context length .*context length \(4\)/));
  server.state.isSleeping = true;
  await assert.rejects(chat(), isFault('model_warming', /./));
});

test('LMDeploy is up by its health route, which tells of a dead engine', async () => {
  const { engine, server, chat } = await connected();
  await chat();
  server.state.isHealthy = false;
  while (engine.status('big').status !== 'failed') await new Promise((resolve) => setTimeout(resolve, 5));
  assert.ok(server.state.healthChecks >= 3);
});
