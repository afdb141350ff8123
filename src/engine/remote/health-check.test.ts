import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { openai } from './dialects/openai.ts';
import { HealthCheck, type HealthTarget, probeConnection } from './health-check.ts';
import { startUpstream } from './upstream.fixture.ts';
import { openConnectionPool, openUpstream } from './upstream.ts';

const stops: (() => unknown)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

async function startEngine({ isSilent = false } = {}) {
  const server = await startUpstream((_got, response) => void response.end('{}'), { isSilent: () => isSilent });
  stops.push(server.stop);
  return server.url;
}

/** What the first health check of an engine gives. */
function firstLook(url: string, timeoutMs: number): Promise<string> {
  const upstream = openUpstream({ url, ...openai, secret: null, capacity: 1 });
  return new Promise((resolve) => {
    const target = {
      url,
      upstream,
      path: '/models',
      hasCalls: () => false,
      onHealthy: () => resolve('answered'),
      onFailure: resolve,
      onVanished: () => {},
    };
    const check = new HealthCheck(target, { everyMs: 600_000, timeoutMs });
    stops.push(() => check.stop(), upstream.close);
  });
}

test('what an engine says while this process stands still itself is in time', async () => {
  const url = await startEngine();
  const pool = openConnectionPool(new URL(url).origin, { maxConnections: 1, secret: null, limits: { connectMs: 50 } });
  stops.push(pool.close);
  const call = pool.send({ method: 'POST', path: '/v1/x', body: '{}' }, new AbortController().signal);
  const [look, reached] = [firstLook(url, 1_500), probeConnection(url, 1_500)];
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

type Checked = (health: ServerResponse, sayMore: () => void) => void;

/** Streams an answer, of which a piece leaves whenever it is told, and leaves health checks to the test. */
async function startBusyEngine(checked: Checked) {
  let answer: ServerResponse | null = null;
  const sayMore = () => void answer?.write('data: {}\n\n');
  const server = createServer((request, response) => {
    if (request.method === 'GET') return checked(response, sayMore);
    answer = response;
    request.resume();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    sayMore();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // as: it listens on a port.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const upstream = openUpstream({ url, ...openai, secret: null, capacity: 1 });
  stops.push(upstream.close, () => {
    server.close();
    server.closeAllConnections();
  });
  const { body } = await upstream.post('/chat/completions', { stream: true }, new AbortController().signal);
  body.resume();
  return { url, upstream, sayMore, stopListening: () => void server.close() };
}

/** What its health checks give first. */
function firstResult({ url, upstream }: Pick<HealthTarget, 'url' | 'upstream'>): Promise<string> {
  return new Promise((resolve) => {
    const onHealthy = () => resolve('answered');
    const target = {
      url,
      upstream,
      path: '/models',
      hasCalls: () => true,
      onHealthy,
      onFailure: resolve,
      onVanished: () => {},
    };
    const check = new HealthCheck(target, { everyMs: 10, timeoutMs: 1_500 });
    stops.push(() => check.stop());
  });
}

test('an engine that is too busy for a health check, and goes on with an answer meanwhile, has not failed it; silent, it has', async () => {
  let checks = 0;
  const engine = await startBusyEngine((_health, sayMore) => {
    checks += 1;
    if (checks === 1) sayMore();
  });
  assert.equal(await firstResult(engine), 'The health check was not answered in time.');
  assert.equal(checks, 2);
});

test('an engine that goes on with an answer, and answers a health check with another status, has failed it', async () => {
  const engine = await startBusyEngine((health, sayMore) => {
    sayMore();
    health.writeHead(500).end();
  });
  assert.equal(await firstResult(engine), 'The health check was answered 500.');
});

test('an engine that goes on with an answer, and refuses the connection of a health check, has failed it', async () => {
  const engine = await startBusyEngine(() => {});
  engine.stopListening();
  const result = firstResult(engine);
  engine.sayMore();
  assert.match(await result, /ECONNREFUSED/);
});
