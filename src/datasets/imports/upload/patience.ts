import type { IncomingMessage } from 'node:http';

/**
 * Takes a request out of the watch that ends requests which take longer than a minute to arrive: an upload has a limit of
 * its own, for silence. Node has that watch per server only. It looks at a list of parsers, which a parser joins with
 * each request and leaves when the request is complete; this one leaves earlier. Should a later Node do it otherwise, the
 * watch stays, and long uploads end and are resumed (`upload.routes.test.ts` tells).
 */
export function exemptFromRequestTimeout({ socket }: IncomingMessage): void {
  const parser: unknown = Reflect.get(socket, 'parser');
  if (typeof parser !== 'object' || parser === null) return;
  const remove: unknown = Reflect.get(parser, 'remove');
  if (typeof remove === 'function') remove.call(parser);
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
