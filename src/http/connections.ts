import type { Server } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LogThrottle, type LogThrottleOptions, networkOf } from '#kernel';

type Line = { entry: object; message: string };

export type ConnectionBounds = {
  /** Of one address; a network of IPv6 counts as one. */
  mostPerAddress: number;
  /** Of all together. */
  most: number;
  /** They stand for many clients: addresses and ranges. */
  trustedProxies: readonly string[];
  warn: (entry: object, message: string) => void;
  time?: Partial<Pick<LogThrottleOptions<Line>, 'nowMs' | 'later'>>;
};

const everyMs = 60_000;

/**
 * Closes connections beyond those that one address, and all together, may have: whoever opens more than that would otherwise keep
 * everybody out. Each address is logged once a minute.
 */
export function limitConnections(server: Server, bounds: ConnectionBounds): void {
  const { mostPerAddress, most, warn, time } = bounds;
  const proxies = listOf(bounds.trustedProxies);
  const open = new Map<string, number>();
  const throttle = new LogThrottle<Line>({
    log: ({ entry, message }, others) => warn({ ...entry, closed: others + 1 }, message),
    ...time,
    everyMs,
  });
  server.maxConnections = most;
  server.on('drop', () =>
    throttle.take(
      { name: 'all', wider: 'all', atOnce: 1 },
      { entry: { most }, message: 'Connections are closed: there are as many as this process takes' },
    ),
  );
  server.on('connection', (socket) => {
    const { remoteAddress: address } = socket;
    // Without one it has been closed by now.
    if (address === undefined || isIn(proxies, address)) return;
    const network = networkOf(address);
    const count = (open.get(network) ?? 0) + 1;
    if (count > mostPerAddress) {
      socket.destroy();
      const message =
        'Connections of an address are closed: it has as many as one may have (FANFOLD_CONNECTIONS_PER_ADDRESS; a proxy belongs in FANFOLD_TRUSTED_PROXIES)';
      throttle.take(
        { name: `of ${network}`, wider: 'of others', atOnce: 1 },
        { entry: { address: network, most: mostPerAddress }, message },
      );
      return;
    }
    open.set(network, count);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
  server.on('close', () => throttle.flush());
}

function listOf(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    if (bits === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(bits), familyOf(address));
  }
  return list;
}

const isIn = (list: BlockList, address: string) => list.check(address, familyOf(address));
const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
