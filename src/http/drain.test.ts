import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchCaller } from './callers.ts';
import { createServer } from './server.ts';
import { openSse } from './sse.ts';

async function start() {
  const app = createServer({ authenticator: async () => null, probe: async () => {} });
  app.post<{ Querystring: { ms: string } }>(
    '/slow',
    { config: { operation: 'slow', access: 'public' } },
    async (request) => {
      await sleep(Number(request.query.ms));
      return { done: true };
    },
  );
  const held = Promise.withResolvers<void>();
  app.post('/held', { config: { operation: 'held', access: 'public' } }, async () => {
    await held.promise;
    return { done: true };
  });
  app.post('/stream', { config: { operation: 'stream', access: 'public' } }, (_request, reply) => {
    const caller = watchCaller(reply);
    const stream = openSse({ reply, caller });
    const timer = setInterval(() => stream.write('data: 1\n\n'), 20);
    caller.signal.addEventListener('abort', () => {
      clearInterval(timer);
      stream.end('data: {"code":"generation_failed"}\n\n');
    });
  });
  app.post('/stubborn', { config: { operation: 'stubborn', access: 'public' } }, (_request, reply) => {
    openSse({ reply, caller: watchCaller(reply) }).write('data: 1\n\n');
  });
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  return { app, origin, port: Number(new URL(origin).port), letGo: held.resolve };
}

const post = (url: string) => fetch(url, { method: 'POST' });

test('running calls finish, idle connections close, and nothing waits for a keep-alive time', async () => {
  const { app, origin } = await start();
  await (await fetch(`${origin}/healthz`)).text();
  const arrived = once(app.server, 'request');
  const running = post(`${origin}/slow?ms=300`);
  await arrived;
  const begun = performance.now();
  const [answer] = await Promise.all([running.then((it) => it.json()), app.drain({ graceMs: 300_000 })]);
  assert.deepEqual(answer, { done: true });
  // Connections are kept alive for longer than that.
  assert.ok(performance.now() - begun < 60_000);
  await assert.rejects(fetch(`${origin}/healthz`));
});

test('a connection on which nothing was ever asked is not waited for', async () => {
  const { app, port } = await start();
  const accepted = once(app.server, 'connection');
  const socket = connect(port, '127.0.0.1');
  const closed = once(socket, 'close');
  await accepted;
  const begun = performance.now();
  await Promise.all([closed, app.drain({ graceMs: 300_000 })]);
  assert.ok(performance.now() - begun < 60_000);
});

test('a new request on an open connection gets 503 and the connection closes', async () => {
  const { app, port, letGo } = await start();
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => {
    text += data.toString();
  });
  const request = 'POST /held HTTP/1.1\r\nHost: a\r\n\r\n';
  const arrived = once(app.server, 'request');
  socket.write(request);
  await arrived;
  const closed = once(socket, 'close');
  const drained = app.drain({ graceMs: 300_000 });
  const arrivedToo = once(app.server, 'request');
  socket.write(request);
  await arrivedToo;
  letGo();
  await Promise.all([closed, drained]);
  const [first = '', second = ''] = text.split(/(?<=\})(?=HTTP)/);
  assert.match(first, /^HTTP\/1\.1 200 /);
  assert.match(second, /^HTTP\/1\.1 503 /);
  assert.match(second, /connection: close/i);
  assert.match(second, /"code":"service_unavailable"/);
});

test('a stream that does not end by itself is told to stop after the grace time and still ends with its error frame', async () => {
  const { app, origin } = await start();
  const response = await post(`${origin}/stream`);
  const [text] = await Promise.all([response.text(), app.drain({ graceMs: 200 })]);
  assert.match(text, /"code":"generation_failed"[^\n]*\n\n$/);
  assert.ok(!text.includes('[DONE]'));
});

test('a call that does not even stop when told is cut off, so that draining ends', async () => {
  const { app, origin } = await start();
  const response = await post(`${origin}/stubborn`);
  const [outcome] = await Promise.allSettled([response.text(), app.drain({ graceMs: 100, stopMs: 200 })]);
  assert.equal(outcome.status, 'rejected');
});

test('work that outlives its caller is waited for, then told to stop, then left', async () => {
  for (const [graceMs, workMs, told] of [
    [300_000, 100, false],
    [50, 300_000, true],
  ] as const) {
    const { app } = await start();
    const work = app.callers.outlive();
    const begun = performance.now();
    const ended = new Promise<string>((resolve) => {
      work.signal.addEventListener('abort', () => resolve('told'));
      setTimeout(() => resolve('done'), workMs).unref();
    });
    void ended.then(() => sleep(30)).then(work.over);
    await app.drain({ graceMs, stopMs: 300_000 });
    assert.equal(await ended, told ? 'told' : 'done');
    const took = performance.now() - begun;
    assert.ok(took >= (told ? 70 : 120), `${took} ms`);
  }
  const { app } = await start();
  app.callers.outlive();
  await app.drain({ graceMs: 10, stopMs: 50 });
});
