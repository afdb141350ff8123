import { once } from 'node:events';
import { createServer, Socket } from 'node:net';
import pg from 'pg';

const [ready, terminate] = [0x5a, 0x58];
const idle = 0x49;

/** Authenticated, ready. */
const welcome = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 0, ready, 0, 0, 0, 5, idle]);

type Pooler = { url: string; close: () => Promise<void> };

/**
 * A pooler in front of PostgreSQL that gives each transaction one of `servers` connections, in turn, and knows nothing of prepared
 * statements, as PgBouncer up to 1.20 with `pool_mode = transaction`.
 */
export async function startLossyPooler(url: string, servers: number): Promise<Pooler> {
  const clients = Array.from({ length: servers }, () => new pg.Client({ connectionString: url }));
  const streams = await Promise.all(clients.map(connectionOf));
  const free = [...streams];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(welcome);
      serveClient(socket, free);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The pooler has no port.');
  const place = new URL(url);
  place.searchParams.delete('host');
  place.port = String(address.port);
  return {
    url: place.href,
    async close() {
      for (const socket of [...sockets, ...streams]) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** An authenticated connection that the driver no longer listens to. */
async function connectionOf(client: pg.Client): Promise<Socket> {
  client.on('error', () => {});
  await client.connect();
  const stream: unknown = Reflect.get(Reflect.get(client, 'connection'), 'stream');
  if (!(stream instanceof Socket)) throw new Error('The driver has no socket.');
  stream.removeAllListeners('data');
  return stream;
}

/** Asks one thing at a time: a transaction that waits for a connection in vain fails. */
function serveClient(socket: Socket, free: Socket[]): void {
  let held: Socket | null = null;
  socket.on('data', (asked) => {
    if (asked[0] === terminate) return void socket.end();
    held ??= free.shift() ?? null;
    if (held === null) return void socket.destroy();
    const server = held;
    if (server.listenerCount('data') === 0)
      server.on('data', (answer) => {
        if (endsTransaction(answer)) {
          server.removeAllListeners('data');
          free.push(server);
          held = null;
        }
        socket.write(answer);
      });
    server.write(asked);
  });
}

/** Answers of the size that tests ask for come in one piece. */
function endsTransaction(answer: Buffer): boolean {
  return answer.at(-6) === ready && answer.at(-1) === idle;
}
