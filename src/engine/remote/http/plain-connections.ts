import { Exchange } from './exchange.ts';
import { type Place, PlainConnection } from './plain-connection.ts';
import {
  type Connections,
  type ConnectionsOptions,
  fieldsOf,
  type Request,
  TransportError,
  usualBounds,
} from './transport.ts';

const sweepMs = 1_000;

/**
 * Connections without TLS to one engine. A call of a model spends most of its time here, so this does what such calls need and no
 * more: one request at a time on each connection, written at once, and its response read as it comes.
 */
export function openPlainConnections(origin: string, { most, secret, ...more }: ConnectionsOptions): Connections {
  const bounds = { ...usualBounds, ...more.bounds };
  const place = placeOf(origin);
  const headOf = headsOf(place, secret);
  const open = new Set<PlainConnection>();
  /** The one that was used last comes first. */
  const resting: PlainConnection[] = [];
  const waiting: Exchange[] = [];
  let sweep: NodeJS.Timeout | null = null;
  let isClosed = false;

  function rested(): PlainConnection | null {
    const nowMs = performance.now();
    for (let one = resting.pop(); one !== undefined; one = resting.pop()) if (one.isGood(nowMs)) return one;
    return null;
  }

  function start(exchange: Exchange): void {
    const free = rested();
    if (free !== null) free.carry(exchange);
    else if (open.size < most) connect().carry(exchange);
    else waiting.push(exchange);
  }

  function connect(): PlainConnection {
    const made = new PlainConnection(
      { ...place, bounds },
      {
        free: (connection) => {
          resting.push(connection);
          startNext();
        },
        gone: (connection) => {
          open.delete(connection);
          const at = resting.indexOf(connection);
          if (at >= 0) resting.splice(at, 1);
          startNext();
        },
      },
    );
    open.add(made);
    sweep ??= setInterval(endOld, sweepMs).unref();
    return made;
  }

  function startNext(): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.isOver) continue;
      if (!isClosed) {
        start(next);
        return;
      }
      next.fail(new Error('The route is gone.'));
    }
  }

  function endOld(): void {
    for (const one of [...open]) one.endIfOld(sweepMs);
    if (open.size > 0 || sweep === null) return;
    clearInterval(sweep);
    sweep = null;
  }

  return {
    send: (request, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const { isLast = false } = request;
        const exchange = new Exchange(headOf(request), { isLast, signal, settle: { resolve, reject }, bounds });
        if (isClosed) exchange.fail(new Error('The route is gone.'));
        else start(exchange);
      }),
    giveUp: (why) => {
      for (const one of [...open]) one.giveUp(why);
    },
    close: async () => {
      isClosed = true;
      for (const one of [...open]) one.destroy(new Error('The route is gone.'));
      startNext();
    },
  };
}

function placeOf(origin: string): Place & { authority: string } {
  const { hostname, port, host } = new URL(origin);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || 80, authority: host };
}

/** Makes whole requests. Nothing that an operator wrote may end a line of them. */
function headsOf({ authority }: { authority: string }, secret: string | null): (request: Request) => string {
  const fields = Object.entries({ host: authority, ...fieldsOf(secret) });
  const lines = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const [keeping, closing] = [`${lines}connection: keep-alive\r\n`, `${lines}connection: close\r\n`];
  const isSafe = fields.every(([, value]) => /^[\t\x20-\x7e]*$/.test(value));
  return ({ method, path, body, isLast }) => {
    if (!isSafe || /[^\x21-\x7e]/.test(path))
      throw new TransportError(new Error('The secret or the path holds what no request can.'), { neverSent: true });
    const start = `${method} ${path} HTTP/1.1\r\n${isLast ? closing : keeping}`;
    if (body === null) return `${start}\r\n`;
    return `${start}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  };
}
