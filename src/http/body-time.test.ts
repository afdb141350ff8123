import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { compatBody } from './body.ts';
import { principal } from './server.fixture.ts';
import { createServer } from './server.ts';

const calls = '/api/projects/o/p/openai/v1/chat/completions';
const limitMs = 1_500;
/** So long that it ends no test. */
const longMs = 600_000;
let app: FastifyInstance;
let port = 0;
/** The same with more time. */
let patientApp: FastifyInstance;
let patientPort = 0;

before(async () => {
  app = await listen(limitMs);
  port = Number(new URL(app.listeningOrigin).port);
  patientApp = await listen(longMs);
  patientPort = Number(new URL(patientApp.listeningOrigin).port);
});

async function listen(requestTimeoutMs: number): Promise<FastifyInstance> {
  const app = createServer({
    authenticator: async ({ authorization }) => (authorization === 'Bearer good' ? principal : null),
    probe: async () => {},
    limits: { headersTimeoutMs: 1_000, requestTimeoutMs },
  });
  app.post('/plain', { config: { operation: 'plain', access: 'public' } }, async ({ body }) => ({ body }));
  app.post('/own', { config: { operation: 'own' } }, async ({ body }) => ({ body }));
  app.post(calls, { config: { operation: 'chat', access: 'admission' } }, async (request) => {
    const parsed = compatBody(request);
    if (!parsed.ok) throw parsed.fault;
    return {};
  });
  app.get('/early', { config: { operation: 'early', access: 'public' } }, async () => ({ early: true }));
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, _body, done) => done(null));
    scope.put('/patient', { config: { operation: 'patient', access: 'public', slowBody: true } }, async (request) => ({
      bytes: (await text(request.raw)).length,
    }));
    scope.put('/own-patient', { config: { operation: 'own.patient', slowBody: true } }, async (request) => ({
      bytes: (await text(request.raw)).length,
    }));
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

after(() => Promise.all([app.close(), patientApp.close()]));

type Drip = { sent: () => number; answer: () => string; isClosed: () => boolean; socket: Socket; finish: () => void };

type Dripping = { bytes: number; type?: string; to?: number };

/** Sends the head of a request, and a byte of its body every 50 ms. */
function drip(start: string, { bytes, type = 'application/json', to = port }: Dripping): Drip {
  const socket = connect(to, '127.0.0.1');
  let answer = '';
  let closed = false;
  socket.on('data', (data) => (answer += data.toString()));
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  socket.write(`${start} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: ${bytes}\r\n\r\n`);
  let sent = 0;
  const timer = setInterval(() => {
    if (!socket.writable || sent++ >= bytes) clearInterval(timer);
    else socket.write(' ');
  }, 50);
  /** Sends the rest at once. */
  const finish = () => {
    clearInterval(timer);
    socket.write(' '.repeat(bytes - sent));
  };
  return { sent: () => sent, answer: () => answer, isClosed: () => closed, socket, finish };
}

/** Who goes on sending may see a reset behind the answer. */
const closed = ({ socket }: Drip) => new Promise((resolve) => socket.once('close', resolve));

const statusOf = ({ answer }: Drip) => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer())?.[1]);

test('while one route takes a slow body, a slow body of any other route or address is cut off', async () => {
  const patient = drip('PUT /patient', { bytes: 10_000, type: 'text/plain' });
  await sleep(100);
  const others = ['POST /plain', 'POST /nothing', 'POST /%zz', 'PUT /plain'].map((start) =>
    drip(start, { bytes: 1e6 }),
  );
  await Promise.all(others.map(closed));
  assert.equal(patient.answer(), '', 'it is still running');
  assert.equal(statusOf(others[0] ?? patient), 408);
  assert.match(others[0]?.answer() ?? '', /"request_timeout"/);
  for (const other of others) assert.equal(other.answer().match(/HTTP\/1\.1 /g)?.length, 1, other.answer());
  patient.finish();
  while (patient.answer() === '') await once(patient.socket, 'data');
  assert.equal(statusOf(patient), 200);
  assert.match(patient.answer(), /\{"bytes":10000\}$/);
  patient.socket.destroy();
});

test('a route that takes slow bodies does not wait for one that has fallen silent', async () => {
  const socket = connect(port, '127.0.0.1');
  const said = text(socket);
  socket.write('PUT /patient HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nabc');
  assert.match(await said, /^HTTP\/1\.1 408 /);
});

test('a slow body from a stranger keeps no connection, whatever route takes it, and whatever he sends as his key', async () => {
  const strangers = ['POST /own', 'PUT /own-patient', `POST ${calls}`, 'POST /nothing'].flatMap((start) =>
    ['application/json', 'text/plain'].flatMap((type) =>
      ['', '\r\nAuthorization: Bearer bad'].map((key) => ({ start, type, key })),
    ),
  );
  await Promise.all(
    strangers.map(async ({ start, type, key }) => {
      const stranger = drip(start, { bytes: 1e6, type: type + key, to: patientPort });
      await closed(stranger);
      const isCall = start.endsWith(calls);
      const status = start.endsWith('/nothing') ? 404 : isCall && type === 'text/plain' ? 415 : 401;
      assert.equal(statusOf(stranger), status, `${start} ${type} ${key}`);
      assert.equal(stranger.answer().match(/HTTP\/1\.1 /g)?.length, 1);
    }),
  );
});

test('a slow body of somebody with a key is awaited, and a quick one of a stranger is read to its end for the answer', async () => {
  const known = drip(`POST ${calls}`, {
    to: patientPort,
    bytes: 10_000,
    type: 'application/json\r\nAuthorization: Bearer good',
  });
  await sleep(200);
  assert.equal(known.answer(), '');
  known.finish();
  while (known.answer() === '') await once(known.socket, 'data');
  assert.equal(statusOf(known), 400);
  known.socket.destroy();
  const quick = drip(`POST ${calls}`, { bytes: 900_000, to: patientPort });
  while (quick.answer() === '') await once(quick.socket, 'data');
  quick.finish();
  quick.socket.write('GET /early HTTP/1.1\r\nHost: a\r\n\r\n');
  while (!quick.answer().includes('"early":true')) await once(quick.socket, 'data');
  assert.equal(statusOf(quick), 401);
  quick.socket.destroy();
});

test('a body that nobody waits for is cut off behind the answer, without a second one', async () => {
  const early = drip('GET /early', { bytes: 1e6 });
  await closed(early);
  assert.equal(early.answer().match(/HTTP\/1\.1 /g)?.length, 1);
  assert.equal(statusOf(early), 200);
});
