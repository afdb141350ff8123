import type { FastifyReply } from 'fastify';
import type { Caller } from './callers.ts';

/** An event as `EventSource` reads it; `id` is what a reader that comes back sends as `Last-Event-ID`. */
export type NamedEvent = { event: string; id?: string; data: unknown };

export type NamedEvents = {
  /** Sends events in one write; false when the caller is lost. */
  send: (events: readonly NamedEvent[]) => boolean;
  end: () => void;
};

const pingMs = 15_000;
/** Bytes that may wait for a slow reader; past them the caller counts as lost: he comes back for the rest. */
const maxBufferedBytes = 1_048_576;

/**
 * Opens a stream of named events and takes the reply over from Fastify. A comment is sent while nothing happens. It ends
 * when the key or session that opened it does, and when this process begins to stop: whoever comes back is told why, or goes on.
 */
export function openNamedEvents(reply: FastifyReply, caller: Caller): NamedEvents {
  const { raw } = reply;
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) headers[name] = String(value);
  reply.hijack();
  raw.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache, no-transform',
    'x-accel-buffering': 'no',
  });
  raw.flushHeaders();
  const ping = setInterval(() => write(': ping\n\n'), pingMs);
  const leave = reply.server.readers.follow(reply.request, (loss) => {
    end();
    caller.lose(loss);
  });
  raw.once('close', rest);

  function rest(): void {
    clearInterval(ping);
    leave();
  }

  function write(text: string): boolean {
    if (raw.destroyed || raw.writableEnded) return false;
    raw.write(text);
    if (raw.writableLength <= maxBufferedBytes) return true;
    caller.lose('slow_reader');
    raw.destroy();
    return false;
  }

  function end(): void {
    rest();
    if (!raw.destroyed && !raw.writableEnded) raw.end();
  }

  return { send: (events) => events.length === 0 || write(events.map(textOf).join('')), end };
}

function textOf({ event, id, data }: NamedEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`;
}
