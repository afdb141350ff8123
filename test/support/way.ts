import { once } from 'node:events';
import net from 'node:net';

/** A way to a database that can begin to swallow everything, as a network does that has lost a machine. */
export type Way = {
  /** The address of the database by this way. */
  url: string;
  /** Nothing comes through any more, and nobody is told; new connections are taken. */
  swallow: () => void;
  restore: () => void;
  close: () => Promise<void>;
};

export async function openWay(to: string): Promise<Way> {
  const target = new URL(to);
  const sockets = new Set<net.Socket>();
  let swallows = false;
  const pass = (from: net.Socket, on: net.Socket) => {
    sockets.add(from);
    from.on('data', (bytes) => swallows || on.write(bytes));
    from.on('error', () => {}).on('close', () => swallows || on.destroy());
  };
  const relay = net.createServer((socket) => {
    const other = net.connect(Number(target.port), target.hostname);
    pass(socket, other);
    pass(other, socket);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const url = new URL(to);
  // as: it listens on a port.
  url.host = `127.0.0.1:${(relay.address() as net.AddressInfo).port}`;
  return {
    url: url.href,
    swallow: () => {
      swallows = true;
    },
    restore: () => {
      swallows = false;
    },
    async close() {
      const closed = once(relay, 'close');
      relay.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
