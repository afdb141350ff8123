import { once } from 'node:events';
import net from 'node:net';

/** A port that passes connections on; each next one to the next target that takes it. */
export type Relay = { port: number; close: () => Promise<void> };

export type Target = { host: string; port: number };

/** As a load balancer of the simplest kind, and for reaching from elsewhere what listens on loopback only. */
export async function startRelay(host: string, targets: readonly Target[]): Promise<Relay> {
  const sockets = new Set<net.Socket>();
  let turn = 0;
  const server = net.createServer({ noDelay: true }, (socket) => {
    follow(socket);
    const first = turn;
    turn = (turn + 1) % targets.length;
    connect(socket, [...targets.slice(first), ...targets.slice(0, first)]);
  });

  function follow(socket: net.Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  }

  function connect(socket: net.Socket, [target, ...others]: readonly Target[]): void {
    if (!target) return void socket.destroy();
    const other = net.connect({ ...target, noDelay: true });
    follow(other);
    const patience = setTimeout(() => other.destroy(), 2_000);
    let isConnected = false;
    other.once('connect', () => {
      isConnected = true;
      clearTimeout(patience);
      socket.pipe(other).pipe(socket);
    });
    other.once('close', () => {
      clearTimeout(patience);
      if (isConnected) socket.destroy();
      else connect(socket, others);
    });
    socket.once('close', () => other.destroy());
  }

  server.listen(0, host);
  await once(server, 'listening');
  // as: it listens on a port.
  const { port } = server.address() as net.AddressInfo;
  return {
    port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
