import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { freePort } from '#test/free-port.ts';
import { openPlainConnections } from './plain-connections.ts';
import { type Bounds, type Connections, TransportError } from './transport.ts';

const stops: (() => unknown)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

const ok = (body: string, fields = '') =>
  `HTTP/1.1 200 OK\r\n${fields}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;

type Got = { text: string; socket: Socket; connection: number };

/** A server whose every byte the test writes itself. It is asked once for each whole request. */
async function serve(answer: (got: Got) => void, { most = 4, ...bounds }: { most?: number } & Partial<Bounds> = {}) {
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
  const connections = openPlainConnections(`http://127.0.0.1:${port}`, {
    most,
    secret: 's3cret',
    bounds: { idleMs: 600_000, ...bounds },
  });
  stops.push(async () => {
    await connections.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { connections, got, sockets, port };
}

const signal = () => new AbortController().signal;
const post = (connections: Connections, body = '{"a":"ü"}', abort = signal()) =>
  connections.send({ method: 'POST', path: '/v1/x', body }, abort);
const isTransport = (neverSent: boolean) => (error: unknown) =>
  error instanceof TransportError && error.neverSent === neverSent;

test('requests one after the other use one connection, and each is whole', async () => {
  const { connections, got, port } = await serve(({ socket }) => socket.write(ok('"ü"')));
  for (let n = 0; n < 3; n += 1) {
    const { status, body } = await post(connections);
    assert.deepEqual([status, await body.json()], [200, 'ü']);
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 1, 1],
  );
  const lines = ['POST /v1/x HTTP/1.1', `host: 127.0.0.1:${port}`, 'user-agent: fanfold', 'accept: */*'];
  const more = ['authorization: Bearer s3cret', 'connection: keep-alive', 'content-type: application/json'];
  assert.equal(got[0]?.text, `${[...lines, ...more, 'content-length: 10'].join('\r\n')}\r\n\r\n{"a":"ü"}`);
});

test('many at a time get their own answers, over no more connections than allowed', async () => {
  const { connections, sockets } = await serve(({ text, socket }) => socket.write(ok(text.slice(text.indexOf('{')))), {
    most: 3,
  });
  const asked = Array.from({ length: 50 }, (_, n) => `{"n":${n}}`);
  const told = await Promise.all(asked.map(async (body) => (await post(connections, body)).body.text()));
  assert.deepEqual(told, asked);
  assert.equal(sockets.length, 3);
});

test('a connection that says more than it was asked for carries nothing again', async () => {
  const { connections, got } = await serve(({ socket }) => socket.write(`${ok('"mine"')}${ok('"stolen"')}`), {
    most: 1,
  });
  const bodies = await Promise.all([1, 2, 3].map(async () => (await post(connections)).body.json()));
  assert.deepEqual(bodies, ['mine', 'mine', 'mine']);
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test('a connection that its server wants to close, or has closed, carries nothing again', async () => {
  const { connections, got, sockets } = await serve(({ socket, connection }) => {
    if (connection === 1) socket.end(ok('1', 'connection: close\r\n'));
    else socket.write(ok('1'));
  });
  await (await post(connections)).body.text();
  await (await post(connections)).body.text();
  const closed = once(sockets[1] as Socket, 'close');
  sockets[1]?.end();
  await closed;
  await (await post(connections)).body.text();
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test('only what was not written may go elsewhere', async () => {
  const nowhere = openPlainConnections(`http://127.0.0.1:${await freePort()}`, { most: 1, secret: null });
  await assert.rejects(post(nowhere), isTransport(true));
  const { connections } = await serve(({ socket }) => socket.destroy());
  await assert.rejects(post(connections), isTransport(false));
  const garbage = await serve(({ socket }) => socket.write('no response\r\n\r\n'));
  await assert.rejects(post(garbage.connections), isTransport(false));
  const unsafe = openPlainConnections('http://127.0.0.1:1', { most: 1, secret: 'a\r\nx-b: c' });
  await assert.rejects(post(unsafe), isTransport(true));
});

test('an answer that breaks off is told to who reads it', async () => {
  const { connections } = await serve(({ socket }) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf'));
  const { body } = await post(connections);
  await assert.rejects(body.text());
});

test('a caller that leaves ends his own connection only, and frees the place of one that waits', async () => {
  const { connections, got } = await serve(
    ({ text, socket }) => {
      if (text.includes('quick')) socket.write(ok('1'));
    },
    { most: 1 },
  );
  const leave = new AbortController();
  const [first, second] = [post(connections, '"slow"', leave.signal), post(connections, '"slow too"', leave.signal)];
  const third = post(connections, '"quick"');
  const reason = new Error('gone');
  leave.abort(reason);
  await assert.rejects(first, reason);
  await assert.rejects(second, reason);
  assert.equal((await third).status, 200);
  assert.equal(got.filter(({ text }) => text.includes('slow too')).length, 0);
});

test('what an engine has when it is given up, or its route goes, fails; a free connection stays', async () => {
  const { connections, got } = await serve(({ text, socket }) => {
    if (text.includes('quick')) socket.write(ok('1'));
    else if (text.includes('give up')) connections.giveUp('It has vanished.');
    else void connections.close();
  });
  await (await post(connections, '"quick"')).body.text();
  await assert.rejects(post(connections, '"give up"'), isTransport(false));
  await (await post(connections, '"quick"')).body.text();
  await assert.rejects(post(connections, '"close"'), isTransport(false));
  await assert.rejects(post(connections, '"quick"'), isTransport(true));
  assert.equal(got.length, 4);
});

test('a connection that has rested for long enough carries nothing again', async () => {
  const { connections, got } = await serve(({ socket }) => socket.write(ok('1')), { idleMs: 5 });
  for (let n = 0; n < 2; n += 1) {
    await (await post(connections)).body.text();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.deepEqual(
    got.map(({ connection }) => connection),
    [1, 2],
  );
});

test('an engine that says nothing for too long, or too much, ends its call', async () => {
  const silent = await serve(() => {}, { answerMs: 20 });
  await assert.rejects(post(silent.connections), isTransport(false));
  const talkative = await serve(({ socket }) => socket.write(ok('x'.repeat(1_000))), { mostAnswerBytes: 999 });
  const { body } = await post(talkative.connections);
  await assert.rejects(body.text());
});
