import type { IncomingMessage } from 'node:http';

/** Chunks, until nobody wants more: what still comes is then read and forgotten. */
export type Chunks = AsyncIterable<Buffer> & { end: () => void };

/** The chunks of a body until its end, or until it breaks off or falls silent: what has arrived stays. */
export function chunksUntilLost(body: IncomingMessage, options: { silenceMs: number; signal: AbortSignal }): Chunks {
  const iterator = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const chunks = readUntilLost(iterator, options);
  return {
    [Symbol.asyncIterator]: () => chunks,
    // Unread, it would hold up the answer to a client that sends everything first, and hide that one is gone.
    end: () =>
      void iterator.return?.().then(
        () => body.resume(),
        () => {},
      ),
  };
}

async function* readUntilLost(
  iterator: AsyncIterator<Buffer>,
  { silenceMs, signal }: { silenceMs: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await nextOrLost(iterator, { silenceMs, signal });
    if (next === null || next.done) return;
    yield next.value;
  }
}

async function nextOrLost(
  iterator: AsyncIterator<Buffer>,
  { silenceMs, signal }: { silenceMs: number; signal: AbortSignal },
): Promise<IteratorResult<Buffer> | null> {
  const lost = Promise.withResolvers<null>();
  const giveUp = () => lost.resolve(null);
  const timer = setTimeout(giveUp, silenceMs);
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([iterator.next().catch(() => null), lost.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  }
}
