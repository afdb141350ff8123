import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { test } from 'node:test';
import { isUnresponsive } from './connection-probe.ts';

/** Who has connected may come in, and may ask. */
const welcome = Buffer.concat([Buffer.from([82, 0, 0, 0, 8, 0, 0, 0, 0]), Buffer.from([90, 0, 0, 0, 5, 73])]);

test('a connection that a slow database takes after nobody waits any more is not kept', async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket.resume())).listen(0, '127.0.0.1');
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await once(server, 'listening');
  // as: it listens on a port.
  const { port } = server.address() as AddressInfo;
  assert.equal(await isUnresponsive(`postgresql://someone:secret@127.0.0.1:${port}/some`, 2_000), true);
  const [socket] = sockets;
  assert.ok(socket);
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(30_000) });
  socket.write(welcome);
  await closed;
});
