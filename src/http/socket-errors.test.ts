import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { createServer } from './server.ts';

let app: FastifyInstance;
let port = 0;

before(async () => {
  app = createServer({
    authenticator: async () => null,
    probe: async () => {},
    limits: { headersTimeoutMs: 400, requestTimeoutMs: 800 },
  });
  app.post('/echo', { config: { operation: 'echo', access: 'public' } }, async (request) => ({ body: request.body }));
  app.post('/slow', { config: { operation: 'slow', access: 'public' } }, () => sleep(20_000, {}, { ref: false }));
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = Number(new URL(app.listeningOrigin).port);
});

after(() => app.close());

/** Sends bytes as they are and gives everything that comes back until the server closes, or until `forMs` is over. */
async function exchange(
  chunks: readonly string[],
  { forMs = 60_000, gapMs = 0 } = {},
): Promise<{ text: string; closed: boolean }> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  socket.on('data', (data) => (text += data.toString('latin1')));
  socket.on('error', () => {});
  const waited = new AbortController();
  const end = once(socket, 'close').then(() => {
    closed = true;
  });
  for (const chunk of chunks) {
    if (!socket.destroyed) socket.write(chunk, 'latin1');
    if (gapMs > 0) await sleep(gapMs);
  }
  // A wait that is left behind would keep the process for as long.
  await Promise.race([end, sleep(forMs, undefined, { signal: waited.signal }).catch(() => {})]);
  waited.abort();
  socket.destroy();
  return { text, closed };
}

const statusOf = (text: string) => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
const bodyOf = (text: string) => JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4));
const ask = (head: string, body = '') => exchange([`${head}\r\nConnection: close\r\n\r\n${body}`]);
const jsonHead = 'POST /echo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json';

test('what is no HTTP is answered with a JSON 400, a request id, and a closed connection', async () => {
  const attacks = [
    'GARBAGE\r\n\r\n',
    'BREW / HTTP/1.1\r\nHost: a\r\n\r\n',
    'GET / HTTP/1.1\r\nHost : a\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n',
    'GET / HTTP/1.1\r\nHost: a\r\nX: a\0b\r\n\r\n',
    `${jsonHead}\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${jsonHead}\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
    `${jsonHead}\r\nContent-Length: +2\r\n\r\n{}`,
    `${jsonHead}\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${jsonHead}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  ];
  for (const attack of attacks) {
    const { text, closed } = await exchange([attack]);
    assert.equal(statusOf(text), 400, attack);
    assert.match(text, /\r\nx-request-id: req_[0-9A-Z]{26}\r\n/);
    assert.equal(bodyOf(text).error.code, 'invalid_request');
    assert.ok(closed, attack);
  }
});

test('a second Host, Authorization or Content-Type field is refused', async () => {
  for (const field of [
    'Host: b',
    'host: a',
    'Content-Type: text/plain',
    'Authorization: Bearer a\r\nauthorization: Bearer b',
  ]) {
    const { text } = await ask(`${jsonHead}\r\n${field}\r\nContent-Length: 2`, '{}');
    assert.equal(statusOf(text), 400, field);
    assert.match(bodyOf(text).error.message, /only once/);
  }
});

test('a second Host hidden behind thousands of fields is found', async () => {
  const { text } = await ask(`${jsonHead}\r\n${'a:\r\n'.repeat(2_500)}Host: b\r\nContent-Length: 2`, '{}');
  assert.equal(statusOf(text), 400);
});

test('a request without Host is refused in JSON, except from HTTP/1.0', async () => {
  const { text } = await ask('GET /healthz HTTP/1.1');
  assert.equal(statusOf(text), 400);
  assert.equal(bodyOf(text).error.code, 'invalid_request');
  assert.equal(statusOf((await ask('GET /healthz HTTP/1.0')).text), 200);
});

test('CONNECT is refused in JSON', async () => {
  const { text, closed } = await ask('CONNECT example.com:443 HTTP/1.1\r\nHost: a');
  assert.deepEqual([statusOf(text), bodyOf(text).error.code, closed], [400, 'invalid_request', true]);
});

test('headers past 16 KiB are 431 in JSON', async () => {
  const { text } = await ask(`${jsonHead}\r\nX: ${'x'.repeat(20_000)}`);
  assert.equal(statusOf(text), 431);
  assert.equal(bodyOf(text).error.code, 'headers_too_large');
});

test('transfer codings other than chunked are refused', async () => {
  const { text } = await ask(`${jsonHead}\r\nTransfer-Encoding: gzip, chunked`, '2\r\n{}\r\n0\r\n\r\n');
  assert.equal(statusOf(text), 415);
});

test('slow headers and slow bodies are cut off with 408', async () => {
  const headers = await exchange(['GET / HTTP/1.1\r\nHost: a\r\n', ...Array(12).fill('X: y\r\n')], {
    gapMs: 100,
  });
  assert.deepEqual([statusOf(headers.text), headers.closed], [408, true]);
  assert.equal(bodyOf(headers.text).error.code, 'request_timeout');
  const body = await exchange([`${jsonHead}\r\nContent-Length: 100\r\n\r\n`, ...Array(14).fill(' ')], {
    gapMs: 100,
  });
  assert.deepEqual([statusOf(body.text), body.closed], [408, true]);
});

test('hundreds of slow connections do not keep others waiting', async () => {
  const patient = createServer({
    authenticator: async () => null,
    probe: async () => {},
    limits: { headersTimeoutMs: 300_000, requestTimeoutMs: 300_000 },
  });
  const origin = await patient.listen({ host: '127.0.0.1', port: 0 });
  const sockets = Array.from({ length: 300 }, () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').on('error', () => {});
    socket.resume().write('POST /echo HTTP/1.1\r\nHost: a\r\n');
    return socket;
  });
  assert.equal((await fetch(`${origin}/healthz`)).status, 200);
  assert.ok(
    sockets.every(({ closed }) => !closed),
    'they are all there still',
  );
  for (const socket of sockets) socket.destroy();
  await patient.close();
});

test('garbage behind a request that is still being answered ends the connection without a second answer', async () => {
  const { text, closed } = await exchange(['POST /slow HTTP/1.1\r\nHost: a\r\n\r\n', 'GARBAGE\r\n\r\n'], { gapMs: 50 });
  assert.ok(closed);
  assert.equal(text, '');
});

test('an absolute request target, an expectation and pipelining are understood', async () => {
  assert.equal(statusOf((await ask('GET http://a.example/healthz?x HTTP/1.1\r\nHost: a')).text), 200);
  assert.equal(statusOf((await ask('GET http://a.example HTTP/1.1\r\nHost: a')).text), 404);
  assert.equal(statusOf((await ask('OPTIONS * HTTP/1.1\r\nHost: a')).text), 404);
  const { text } = await ask(`${jsonHead}\r\nExpect: 100-continue\r\nContent-Length: 2`, '{}');
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  assert.equal(statusOf((await ask(`${jsonHead}\r\nExpect: miracles\r\nContent-Length: 2`, '{}')).text), 200);
  const one = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
  const two = await exchange([one + one + one.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')]);
  assert.equal(two.text.match(/HTTP\/1\.1 200/g)?.length, 3);
});
