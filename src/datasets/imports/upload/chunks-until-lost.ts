import type { IncomingMessage } from 'node:http';

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
