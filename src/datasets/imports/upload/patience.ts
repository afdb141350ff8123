import type { IncomingMessage, Server } from 'node:http';

/** Lets uploads take as long as they move. */
export type Patience = {
  /** From now on; the returned function ends it. */
  begin: () => () => void;
};

/**
 * Node ends every request that takes longer than a minute to arrive, and knows one limit per server only. While uploads
 * run, which have a limit of their own for silence, it is lifted; those for headers and for silent connections stay.
 */
export function createPatience(server: Pick<Server, 'requestTimeout'>): Patience {
  const limitMs = server.requestTimeout;
  let running = 0;
  return {
    begin() {
      running++;
      server.requestTimeout = 0;
      return () => {
        if (--running === 0) server.requestTimeout = limitMs;
      };
    },
  };
}

/** The chunks of a body until its end, or until it breaks off or falls silent: what has come then is kept. */
export async function* chunksUntilLost(
  body: IncomingMessage,
  { silenceMs, signal }: { silenceMs: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const iterator = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
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
