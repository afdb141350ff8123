import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { createServer } from './server.ts';

const most = 5;

/** A server, and what it has logged. */
async function listen(t: TestContext, { trustedProxies = [] as string[], connections = 1_000, host = '0.0.0.0' } = {}) {
  const logged: [entry: object, message: string][] = [];
  const logger = Object.assign(Object.create(null), { level: 'info' });
  for (const level of ['fatal', 'error', 'info', 'debug', 'trace', 'silent']) logger[level] = () => {};
  logger.warn = (entry: object, message: string) => void logged.push([entry, message]);
  logger.child = () => logger;
  const app = createServer({
    authenticator: async () => null,
    probe: async () => {},
    limits: { connectionsPerAddress: most, connections },
    trustedProxies,
    logger,
  });
  await app.listen({ host, port: 0 });
  const address = app.server.address();
  assert.ok(typeof address === 'object' && address);
  const sockets: Socket[] = [];
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });
  const { port } = address;
  /** A connection of this address, on which nothing is asked. */
  const open = async (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  const ask = async (localAddress?: string): Promise<string> => {
    const socket = await open(localAddress);
    socket.write('GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    return text(socket).catch(() => '');
  };
  return { open, ask, logged };
}

const served = /^HTTP\/1\.1 200 /;

test('one address has its connections and no more, others are served, and it is told once', async (t) => {
  const { open, ask, logged } = await listen(t);
  const idle = await Promise.all(Array.from({ length: most }, () => open()));
  assert.equal(await ask(), '');
  for (let n = 0; n < 20; n += 1) assert.equal(await ask(), '');
  assert.match(await ask('127.0.0.2'), served);
  assert.equal(logged.length, 1);
  assert.deepEqual(logged[0]?.[0], { address: '127.0.0.1', most, closed: 1 });
  assert.match(logged[0]?.[1] ?? '', /FANFOLD_CONNECTIONS_PER_ADDRESS/);
  // What is closed makes room.
  const [first] = idle;
  assert.ok(first);
  first.destroy();
  await once(first, 'close');
  await assert.doesNotReject(async () => {
    while (!served.test(await ask())) await new Promise(setImmediate);
  });
});

test('an address of IPv4 counts as itself on a server of IPv6', async (t) => {
  const { open, ask } = await listen(t, { host: '::' });
  await Promise.all(Array.from({ length: most }, () => open()));
  assert.equal(await ask(), '');
  assert.match(await ask('127.0.0.2'), served);
});

test('a trusted proxy, which stands for many clients, may have more', async (t) => {
  for (const trustedProxies of [['127.0.0.1'], ['10.0.0.0/8', '127.0.0.0/31']])
    for (const host of ['0.0.0.0', '::']) {
      const { open, ask, logged } = await listen(t, { trustedProxies, host });
      await Promise.all(Array.from({ length: 2 * most }, () => open()));
      assert.match(await ask(), served);
      await Promise.all(Array.from({ length: most }, () => open('127.0.0.2')));
      assert.equal(await ask('127.0.0.2'), '');
      assert.equal(logged.length, 1);
    }
});

test('where all connections of the process are in use, that is told, too', async (t) => {
  const { open, ask, logged } = await listen(t, { connections: 3 });
  await Promise.all(Array.from({ length: 3 }, () => open()));
  assert.equal(await ask('127.0.0.2'), '');
  assert.equal(await ask('127.0.0.3'), '');
  assert.deepEqual(
    logged.map(([entry]) => entry),
    [{ most: 3, closed: 1 }],
  );
});
