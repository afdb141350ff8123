import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { after, test } from 'node:test';
import { Fault, systemClock } from '#kernel';
import { prompt, sampling } from './chat-call.fixture.ts';
import { routeTo } from './remote-engine.fixture.ts';
import { createRemoteEngine, type RemoteEngineOptions } from './remote-engine.ts';
import type { ServingRoute } from './serving-route.ts';
import { delta, finish, startUpstream, stream } from './upstream.fixture.ts';

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

/** An engine that answers when it is told to, and a route to it that takes one call at a time, or more. */
async function busyRoute(
  more: Partial<RemoteEngineOptions> = {},
  { kind = 'text' as 'text' | 'embedding', capacity = 1 } = {},
) {
  const asked: ServerResponse[] = [];
  const server = await startUpstream((_got, response) => void asked.push(response));
  const route = routeTo('a', server.url, { kind, capacity, maxContextTokens: 4_096, dimensions: 2 });
  const state: { routes: ServingRoute[] } = { routes: [route] };
  const engine = createRemoteEngine({
    routes: () => state.routes,
    clock: systemClock,
    log: () => {},
    countHere: async (_model, items) => items.map(() => ({ tokens: 1, longest: 1 })),
    ...more,
  });
  stops.push(() => engine.close(), server.stop);
  const ended: string[] = [];
  const call = async (scope: string, signal = new AbortController().signal) => {
    if (kind === 'embedding') {
      const inputs = { target: prompt.target, texts: ['a'], maxInputTokens: 9, truncate: false, scope };
      await engine.embed({ handle: (await engine.prepareEmbedding(inputs, signal)).handle, signal });
    } else {
      const { handle } = await engine.prepareChat({ ...prompt, maxTokens: 10, scope }, signal);
      const { reason, activeMs } = await engine.generate({ handle, sampling, cacheScope: scope, signal }, () => {});
      if (reason === 'cancelled') return void assert.equal(activeMs, 0);
    }
    ended.push(scope);
  };
  /** Answers the next call that the engine has got. */
  const answer = async () => {
    await until(() => asked.length > 0);
    const response = asked.shift() ?? assert.fail();
    if (kind === 'text') stream(response, [delta({ content: 'Hi.' }), finish('stop')]);
    else response.end(JSON.stringify({ data: [{ index: 0, embedding: [3, 4] }] }));
  };
  const waits = (waiting: number) => until(() => engine.load('big').waiting === waiting);
  return { engine, server, state, route, call, answer, ended, waits };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

for (const kind of ['text', 'embedding'] as const)
  test(`an account that fills the routes of a model and queues keeps no other one out (${kind})`, async () => {
    const { server, call, answer, ended, waits } = await busyRoute({}, { kind, capacity: 2 });
    const calls = [call('ada'), call('ada')];
    await until(() => server.got.length === 2);
    for (let n = 1; n <= 5; n += 1) {
      calls.push(call('ada'));
      await waits(n);
    }
    calls.push(call('ben'));
    await waits(6);
    for (let n = 1; n <= 8; n += 1) {
      await answer();
      await until(() => ended.length === n);
    }
    await Promise.all(calls);
    assert.deepEqual(ended, ['ada', 'ada', 'ben', 'ada', 'ada', 'ada', 'ada', 'ada']);
  });

test('who leaves while he waits frees his place in line, is not sent and pays nothing', async () => {
  const { engine, server, call, answer, ended, waits } = await busyRoute({
    waiting: { maxQueue: 1, capacityWaitMs: 1e9 },
  });
  const first = call('ada');
  await until(() => server.got.length === 1);
  const leave = new AbortController();
  const gone = call('ada', leave.signal);
  await waits(1);
  await assert.rejects(call('ada'), isFault('capacity_unavailable'));
  leave.abort();
  await gone;
  await waits(0);
  const last = call('ada');
  await waits(1);
  await answer();
  await answer();
  await Promise.all([first, last]);
  assert.deepEqual([ended.length, server.got.length, engine.load('big')], [2, 2, { running: 0, waiting: 0 }]);
});

test('when the route is removed or drained, those who wait are told what they would be told at once, or go to another', async () => {
  for (const [change, why] of [
    [(): ServingRoute[] => [], 'model_not_installed'],
    [(route: ServingRoute) => [{ ...route, draining: true }], 'capacity_unavailable'],
  ] as const) {
    const { server, state, route, call, answer, waits } = await busyRoute();
    const first = call('ada');
    await until(() => server.got.length === 1);
    const second = assert.rejects(call('ben'), isFault(why));
    await waits(1);
    state.routes = change(route);
    await second;
    await answer();
    await first;
  }
  const [from, to] = [await busyRoute(), await busyRoute()];
  const first = from.call('ada');
  await until(() => from.server.got.length === 1);
  const second = from.call('ben');
  await from.waits(1);
  from.state.routes = [{ ...to.route, id: 'b' }];
  await to.answer();
  await second;
  await from.answer();
  await first;
  assert.deepEqual(from.ended, ['ben', 'ada']);
});

test('nobody waits longer than the limit, nor where the model is installed as well, nor on an engine that closes', async () => {
  const hasLimit = await busyRoute({ waiting: { maxQueue: 9, capacityWaitMs: 3_000 } });
  const installed = await busyRoute({ isInstalled: () => true });
  const closing = await busyRoute();
  for (const { server, call, waits, engine } of [hasLimit, installed, closing]) {
    call('ada').catch(() => {});
    await until(() => server.got.length === 1);
    const refused = assert.rejects(call('ben'), isFault('capacity_unavailable'));
    if (engine === closing.engine) await waits(1);
    if (engine === closing.engine) await engine.close();
    await refused;
  }
});
