import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { freePort } from '#test/free-port.ts';
import {
  type ConnectionPool,
  discard,
  openConnectionPool,
  type PoolLimits,
  readText,
  TransportError,
} from './upstream.ts';

const stops: (() => unknown)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const ok = (body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\n${fields}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

type Got = { text: string; socket: Socket; connection: number };

/** A server whose every byte the test writes itself. It is asked once for each whole request. */
async function serve(
  answer: (got: Got) => void,
  { maxConnections = 4, ...limits }: { maxConnections?: number } & Partial<PoolLimits> = {},
) {
  const sockets: Socket[] = [];
  const got: Got[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const connection = sockets.length;
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const [head = '', body] = text.split('\r\n\r\n');
      if (body === undefined || Buffer.byteLength(body) < Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)) return;
      const one = { text, socket, connection };
      text = '';
      got.push(one);
      answer(one);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // as: it listens on a port.
  const { port } = server.address() as { port: number };
  const pool = openConnectionPool(`http://127.0.0.1:${port}`, {
    maxConnections,
    secret: 's3cret',
    limits: { idleMs: 600_000, ...limits },
  });
  stops.push(async () => {
    await pool.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { pool, got, sockets, port };
}

const signal = () => new AbortController().signal;
const post = (pool: ConnectionPool, body = '{"a":"ü"}', abort = signal()) =>
  pool.send({ method: 'POST', path: '/v1/x', body }, abort);
const read = async (pool: ConnectionPool, body?: string) => readText((await post(pool, body)).body);
/** A connection is free again one turn of the event loop after its response. */
const turn = () => new Promise(setImmediate);
const isTransport = (neverSent: boolean) => (error: unknown) =>
  error instanceof TransportError && error.neverSent === neverSent;

test('requests one after the other use one connection, and each is whole', async () => {
  const { pool, got, port } = await serve(({ socket }) => socket.write(ok('"ü"')));
  for (let n = 0; n < 3; n += 1) {
    const { status, body } = await post(pool);
    assert.deepEqual([status, JSON.parse(await readText(body))], [200, 'ü']);
    await turn();
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 1, 1],
  );
  const lines = ['POST /v1/x HTTP/1.1', `host: 127.0.0.1:${port}`, 'connection: keep-alive', 'user-agent: fanfold'];
  const more = ['accept: */*', 'authorization: Bearer s3cret', 'content-type: application/json'];
  assert.equal(got[0]?.text, `${[...lines, ...more, 'content-length: 10'].join('\r\n')}\r\n\r\n{"a":"ü"}`);
});

test('many at a time get their own answers, over no more connections than allowed', async () => {
  const { pool, sockets } = await serve(({ text, socket }) => socket.write(ok(text.slice(text.indexOf('{')))), {
    maxConnections: 3,
  });
  const requests = Array.from({ length: 50 }, (_, n) => `{"n":${n}}`);
  const responses = await Promise.all(requests.map(async (body) => readText((await post(pool, body)).body)));
  assert.deepEqual(responses, requests);
  assert.equal(sockets.length, 3);
});

test('a connection that says more than it was asked for carries nothing again', async () => {
  const { pool, got } = await serve(({ socket }) => socket.write(`${ok('"mine"')}${ok('"stolen"')}`), {
    maxConnections: 1,
  });
  const bodies = await Promise.all([1, 2, 3].map(async () => JSON.parse(await readText((await post(pool)).body))));
  assert.deepEqual(bodies, ['mine', 'mine', 'mine']);
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test('a connection that its server wants to close, or has closed, carries nothing again', async () => {
  const { pool, got, sockets } = await serve(({ socket, connection }) => {
    if (connection === 1) socket.end(ok('1', 'connection: close\r\n'));
    else socket.write(ok('1'));
  });
  await read(pool);
  await read(pool);
  const closed = once(sockets[1] as Socket, 'close');
  sockets[1]?.end();
  await closed;
  await read(pool);
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test('only what was not written may go elsewhere', async () => {
  const nowhere = openConnectionPool(`http://127.0.0.1:${await freePort()}`, { maxConnections: 1, secret: null });
  await assert.rejects(post(nowhere), isTransport(true));
  const { pool } = await serve(({ socket }) => socket.destroy());
  await assert.rejects(post(pool), isTransport(false));
  const garbage = await serve(({ socket }) => socket.write('no response\r\n\r\n'));
  await assert.rejects(post(garbage.pool), isTransport(false));
  const unsafe = openConnectionPool('http://127.0.0.1:1', { maxConnections: 1, secret: 'a\r\nx-b: c' });
  await assert.rejects(post(unsafe), isTransport(true));
});

test('an answer that breaks off is told to who reads it', async () => {
  const { pool } = await serve(({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
  const { body } = await post(pool);
  await assert.rejects(readText(body));
});

test('a caller that leaves ends his own connection only, and frees the place of one that waits', async () => {
  const { pool, got } = await serve(
    ({ text, socket }) => {
      if (text.includes('quick')) socket.write(ok('1'));
    },
    { maxConnections: 1 },
  );
  const leave = new AbortController();
  const [first, second] = [post(pool, '"slow"', leave.signal), post(pool, '"slow too"', leave.signal)];
  const third = post(pool, '"quick"');
  const reason = new Error('gone');
  leave.abort(reason);
  await assert.rejects(first, reason);
  await assert.rejects(second, reason);
  assert.equal((await third).status, 200);
  assert.equal(got.filter(({ text }) => text.includes('slow too')).length, 0);
});

test('what an engine has when it is given up, or its route goes, fails; a free connection stays', async () => {
  const { pool, got } = await serve(({ text, socket }) => {
    if (text.includes('quick')) socket.write(ok('1'));
    else if (text.includes('give up')) pool.failAll('It has vanished.');
    else void pool.close();
  });
  await read(pool, '"quick"');
  await assert.rejects(post(pool, '"give up"'), isTransport(false));
  await read(pool, '"quick"');
  await assert.rejects(post(pool, '"close"'), isTransport(false));
  await assert.rejects(post(pool, '"quick"'), isTransport(true));
  assert.equal(got.length, 4);
});

test('a connection that has rested for long enough carries nothing again', async () => {
  const { pool, got } = await serve(({ socket }) => socket.write(ok('1')), { idleMs: 5 });
  for (let n = 0; n < 2; n += 1) {
    await read(pool);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2],
  );
});

test('an engine that says nothing for too long, or too much, ends its call', async () => {
  const silent = await serve(() => {}, { silenceMs: 20 });
  await assert.rejects(post(silent.pool), isTransport(false));
  const talkative = await serve(({ socket }) => socket.write(ok('x'.repeat(1_000))), { maxResponseBytes: 999 });
  const { body } = await post(talkative.pool);
  await assert.rejects(readText(body));
});

test('the connection of a last request carries nothing again, whatever its server says', async () => {
  const { pool, got } = await serve(({ socket }) => socket.write(ok('1', 'connection: keep-alive\r\n')));
  for (const closes of [false, false, true, false]) {
    await readText((await pool.send({ method: 'POST', path: '/v1/x', body: '1', closes }, signal())).body);
    await turn();
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 1, 1, 2],
  );
});

test('a connection rests for no longer than its server says', async () => {
  const { pool, got } = await serve(({ socket }) => socket.write(ok('1', 'keep-alive: timeout=1\r\n')));
  for (let n = 0; n < 2; n += 1) {
    await read(pool);
    await turn();
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2],
  );
});

test('a body without a length ends with its connection, and informational responses are passed over', async () => {
  const { pool } = await serve(({ socket }) =>
    socket.end('HTTP/1.1 103 Early Hints\r\nlink: a\r\n\r\nHTTP/1.1 200 OK\r\ncontent-type: a\r\n\r\nhello'),
  );
  const { status, body } = await post(pool);
  assert.deepEqual([status, await readText(body)], [200, 'hello']);
});

test('what does not say for certain where it ends is no response', async () => {
  const start = 'HTTP/1.1 200 OK\r\n';
  for (const response of [
    'ICY 200 OK\r\ncontent-length: 5\r\n\r\nhello',
    `${start}content-length: 5\r\ncontent-length: 4\r\n\r\nhello`,
    `${start}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\nhello`,
    `${start}content-length: 0x5\r\n\r\nhello`,
    `${start}content-length : 5\r\n\r\nhello`,
    `${start}transfer-encoding: chunked\r\n\r\n0x5\r\nhello\r\n0\r\n\r\n`,
    `${start}transfer-encoding: chunked\r\n\r\n4\r\nhello\r\n0\r\n\r\n`,
    `${start}content-length: 500\r\n\r\nhello`,
  ]) {
    const { pool } = await serve(({ socket }) => socket.end(response));
    await assert.rejects(read(pool), isTransport(false), response);
  }
});

test('the rest of a response that nobody needs passes, and its connection serves the next request', async () => {
  const { pool, got } = await serve(({ socket }) => socket.write(ok('x'.repeat(100_000))));
  for (let n = 0; n < 3; n += 1) {
    const { body } = await post(pool);
    discard(body);
    await once(body, 'close');
    await turn();
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 1, 1],
  );
});

test('a response whose rest nobody needs and which does not end loses its connection', async () => {
  const { pool, sockets } = await serve(({ socket }) =>
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'),
  );
  discard((await post(pool)).body);
  await once(sockets[0] as Socket, 'close');
});
