import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { HealthWatch } from './health-watch.ts';
import { openPlainConnections } from './http/plain-connections.ts';
import { isReachable } from './reachable.ts';
import { startUpstream } from './upstream.fixture.ts';
import { openUpstream } from './upstream.ts';

const stops: (() => unknown)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

async function startEngine({ isSilent = false } = {}) {
  const server = await startUpstream((_got, response) => void response.end('{}'), { isSilent: () => isSilent });
  stops.push(server.stop);
  return server.url;
}

/** What the first health check of an engine gives. */
function firstLook(url: string, patienceMs: number): Promise<string> {
  const upstream = openUpstream({ url, api: 'openai', secret: null, capacity: 1 });
  return new Promise((resolve) => {
    const answered = () => resolve('answered');
    const watched = {
      url,
      upstream,
      path: '/models',
      hasCalls: () => false,
      answered,
      failed: resolve,
      gone: () => {},
    };
    const watch = new HealthWatch(watched, { everyMs: 600_000, patienceMs });
    stops.push(() => watch.stop(), upstream.close);
  });
}

test('what an engine says while this process stands still itself is in time', async () => {
  const url = await startEngine();
  const connections = openPlainConnections(new URL(url).origin, { most: 1, secret: null, bounds: { connectMs: 50 } });
  stops.push(connections.close);
  const call = connections.send({ method: 'POST', path: '/v1/x', body: '{}' }, new AbortController().signal);
  const [look, reached] = [firstLook(url, 1_500), isReachable(url, 1_500)];
  // The engine is in this process: it answers in the first turns after this.
  for (const untilMs = performance.now() + 1_600; performance.now() < untilMs; );
  const results = await Promise.allSettled([look, reached, call.then(({ status }) => status)]);
  assert.deepEqual(
    results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason)),
    ['answered', true, 200],
  );
});

test('an engine that does not answer a health check in time has failed it', async () => {
  assert.equal(
    await firstLook(await startEngine({ isSilent: true }), 20),
    'The health check was not answered in time.',
  );
});
