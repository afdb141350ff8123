import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer } from 'ws';
import { openTail, RayClient } from './ray-client.ts';

const pieceBytes = 256 * 1024;
/** Far more than the buffers of connections hold. */
const pieceCount = 512;

test('what a job prints waits on the other side while nobody reads it, and nothing of it is lost', async (t) => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  t.after(() => server.close());
  await once(server, 'listening');
  let sent = 0;
  server.on('connection', (socket) => {
    const piece = Buffer.alloc(pieceBytes, 'x');
    for (let n = 0; n < pieceCount; n++) socket.send(piece, () => sent++);
    socket.close();
  });
  // as: it listens on TCP.
  const { port } = server.address() as AddressInfo;
  const tail = await openTail(new RayClient({ url: `http://127.0.0.1:${port}`, token: null }), 'job');
  t.after(tail.close);
  let bytes = (await tail.next())?.length ?? 0;
  // Nobody reads on until nothing moves any more.
  for (let before = -1; sent > before; ) {
    before = sent;
    await sleep(500);
  }
  assert.ok(sent < pieceCount, `${sent} pieces of ${pieceCount} were taken in`);
  for (let piece = await tail.next(); piece !== null; piece = await tail.next()) bytes += piece.length;
  assert.equal(bytes, pieceCount * pieceBytes);
});
