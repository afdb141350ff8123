import { isIPv6 } from 'node:net';
import { type Clock, fault } from '#kernel';

/**
 * Counts requests per client address and minute. In the memory of this process: what it protects costs microseconds and
 * touches no database, so a count shared by all replicas would cost more than it saves.
 */
export type AddressLimit = {
  /** Throws `rate_limited`; otherwise gives the headers that tell what is left. */
  take: (address: string) => Record<string, string>;
};

export type AddressLimitOptions = { perMinute: number; clock: Clock; mostAddresses?: number };

const windowMs = 60_000;

export function createAddressLimit({ perMinute, clock, mostAddresses = 50_000 }: AddressLimitOptions): AddressLimit {
  // In the order of their ends, because all are equally long.
  const windows = new Map<string, { used: number; endMs: number }>();

  function windowOf(network: string, nowMs: number) {
    const known = windows.get(network);
    if (known && known.endMs > nowMs) return known;
    windows.delete(network);
    for (const [other, { endMs }] of windows) {
      if (endMs > nowMs && windows.size < mostAddresses) break;
      windows.delete(other);
    }
    const fresh = { used: 0, endMs: nowMs + windowMs };
    windows.set(network, fresh);
    return fresh;
  }

  return {
    take(address) {
      const nowMs = clock.monotonicMs();
      const window = windowOf(networkOf(address), nowMs);
      const isOver = window.used >= perMinute;
      if (!isOver) window.used++;
      const resetSeconds = Math.ceil((window.endMs - nowMs) / 1_000);
      const headers = {
        'ratelimit-limit': String(perMinute),
        'ratelimit-remaining': String(perMinute - window.used),
        'ratelimit-reset': String(resetSeconds),
      };
      if (isOver)
        throw fault('rate_limited', {
          message: `An address may ask for ${perMinute} estimates a minute.`,
          retryAfterSeconds: resetSeconds,
          headers,
        });
      return headers;
    },
  };
}

/** One household or server has 2^64 addresses of IPv6: its network counts. */
function networkOf(address: string): string {
  const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail = null] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  // What `::` stands for is zeros; only how many of them fall into the first four groups matters.
  const behind = tail === null || tail === '' ? [] : tail.split(':');
  const zeros = tail === null ? [] : Array.from({ length: 8 - groups.length - behind.length }, () => '0');
  return [...groups, ...zeros, ...behind].slice(0, 4).join(':');
}
