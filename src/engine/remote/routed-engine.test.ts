import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, type FaultName, fault } from '#kernel';
import type { ChatPrompt, Engine, GenerationRequest } from '../port.ts';
import { prompt as chat } from './chat-call.fixture.ts';
import { createRoutedEngine, type RemoteEngine } from './remote-engine.ts';

/** A model with a route that refuses when it is asked to prepare or to generate; tells who has answered. */
function engineWhoseRoute(refuses: 'prepareChat' | 'generate', why: FaultName, { isInstalled = true } = {}) {
  const engineAt = (place: 'own' | 'remote-1') => ({
    prepareChat: async () => ({ handle: place, promptTokens: 1, maxContextTokens: 9 }),
    generate: async () => ({ reason: place }),
  });
  const refuse = async () => {
    throw fault(why);
  };
  // as: what is asked of them here.
  const own = engineAt('own') as unknown as Engine;
  const remote = { ...engineAt('remote-1'), serves: () => true, [refuses]: refuse } as unknown as RemoteEngine;
  return createRoutedEngine({ own, remote, isInstalled: () => isInstalled, provideAdapter: async () => {} });
}

async function whoAnswers(engine: Engine, messages: ChatPrompt['messages'] = []): Promise<string> {
  const prompt = { target: { baseModelId: 'big', adapter: null }, messages } as ChatPrompt;
  const { handle } = await engine.prepareChat(prompt, new AbortController().signal);
  return (await engine.generate({ handle } as GenerationRequest, () => {})).reason;
}

test('a model that is installed here answers here when no route takes the call, also while a route reads its model', async () => {
  for (const step of ['prepareChat', 'generate'] as const)
    for (const why of ['capacity_unavailable', 'model_warming'] as const) {
      assert.equal(await whoAnswers(engineWhoseRoute(step, why)), 'own', `${step} ${why}`);
      const elsewhereOnly = engineWhoseRoute(step, why, { isInstalled: false });
      await assert.rejects(whoAnswers(elsewhereOnly), (error) => error instanceof Fault && error.fault === why);
    }
});

test('what may have run at a route is not run here', async () => {
  for (const why of ['ambiguous_transport', 'generation_failed', 'invalid_request'] as const)
    await assert.rejects(
      whoAnswers(engineWhoseRoute('generate', why)),
      (error) => error instanceof Fault && error.fault === why,
    );
});

test('what has images does not run here, where nobody reads them', async () => {
  const image = { mediaType: 'image/png', base64: 'iVBO', param: 'messages[0].content[0]' };
  const seen: ChatPrompt['messages'] = [{ role: 'user', content: '[image]', parts: [{ type: 'image', image }] }];
  for (const step of ['prepareChat', 'generate'] as const)
    await assert.rejects(
      whoAnswers(engineWhoseRoute(step, 'capacity_unavailable'), seen),
      (error) => error instanceof Fault && error.fault === 'capacity_unavailable',
    );
});

test('what is to be filled in runs here where the model is installed, although a route serves it', async () => {
  const prompt: ChatPrompt = { ...chat, suffix: ')' };
  const [here, elsewhere] = [true, false].map((isInstalled) =>
    engineWhoseRoute('generate', 'capacity_unavailable', { isInstalled }),
  );
  assert.ok(here && elsewhere);
  assert.equal((await here.prepareChat(prompt, new AbortController().signal)).handle, 'own');
  assert.equal((await elsewhere.prepareChat(prompt, new AbortController().signal)).handle, 'remote-1');
});
