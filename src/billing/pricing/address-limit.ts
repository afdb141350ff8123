import { type Clock, fault, networkOf } from '#kernel';

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
