import type { ServerResponse } from 'node:http';
import type { FastifyReply } from 'fastify';
import type { Caller } from './callers.ts';

/**
 * A stream of server-sent events in progress. Texts are whole events, with the empty line behind each. After the caller is
 * lost, everything here is without effect.
 */
export type EventStream = {
  /** Sends events in one socket write, with others of the same microtask; false when the caller is lost. */
  write: (events: string) => boolean;
  /** Sends the last events in one write, and ends the stream. */
  end: (events: string) => void;
};

export type EventStreamOptions = {
  reply: FastifyReply;
  caller: Caller;
  /** Silence after which `ping` is sent, ms. */
  pingMs?: number;
  /** An event that clients pass over; by default a comment. */
  ping?: string;
  /** Bytes that may wait for a slow reader; past them the caller counts as lost. */
  maxBufferedBytes?: number;
  /** Time a reader has to take the rest after the end, ms. */
  lingerMs?: number;
};

const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
/** Ends a body that is sent in chunks. */
const lastChunk = '0\r\n\r\n';

/** JSON leaves these as they are, and many who read a stream by lines, such as those of httpx, take them for the ends of lines. */
const lineEnds = /[\u0085\u2028\u2029]/g;

/** A value as JSON that stays in one line of an event, whoever reads it. */
export function eventData(value: unknown): string {
  const escaped = (end: string) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(lineEnds, escaped);
}

/** Sends status 200 with the stream's headers, together with the first frames, and takes the reply over from Fastify. */
export function openSse(options: EventStreamOptions): EventStream {
  const {
    reply,
    caller,
    pingMs = 15_000,
    ping = ': ping\n\n',
    maxBufferedBytes = 1_048_576,
    lingerMs = 30_000,
  } = options;
  const { raw } = reply;
  reply.hijack();
  raw.writeHead(200, headersOf(reply));
  const inChunks = takeChunking(raw);
  const silence = setTimeout(() => write(ping), pingMs);
  raw.once('close', () => clearTimeout(silence));

  const isOpen = () => !raw.destroyed && !raw.writableEnded;
  // Tokens that came together leave together: a write of its own for each costs more than all else about it.
  let pending = '';

  function write(text: string): boolean {
    if (!isOpen()) return false;
    if (pending === '') queueMicrotask(flush);
    pending += text;
    return true;
  }

  function flush(): void {
    const text = pending;
    pending = '';
    if (text === '' || !isOpen()) return;
    raw.write(inChunks ? chunkOf(text) : text);
    if (raw.writableLength > maxBufferedBytes) {
      caller.lose('slow_reader');
      raw.destroy();
    } else silence.refresh();
  }

  function end(text: string): void {
    if (!isOpen()) return;
    clearTimeout(silence);
    const rest = pending + text;
    pending = '';
    raw.end(inChunks ? chunkOf(rest) + lastChunk : rest);
    // Everything was handed to the operating system.
    if (raw.writableLength === 0) return;
    const linger = setTimeout(() => raw.destroy(), lingerMs).unref();
    raw.once('close', () => clearTimeout(linger));
  }

  return { write, end };
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) headers[name] = String(value);
  return Object.assign(headers, sseHeaders);
}

/**
 * Whether the body is sent in chunks, which are then ours to make: node:http hands the parts of a chunk to the socket one by one,
 * of two kinds, which costs a third of all that a frame costs.
 */
function takeChunking(raw: ServerResponse): boolean {
  const { chunkedEncoding } = raw;
  raw.chunkedEncoding = false;
  return chunkedEncoding;
}

function chunkOf(text: string): string {
  // An empty chunk would end the body.
  return text === '' ? '' : `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

/** An event as `EventSource` reads it; `id` is what a reader that comes back sends as `Last-Event-ID`. */
export type NamedEvent = { event: string; id?: string; data: unknown };

export type NamedEvents = {
  /** Sends events in one write; false when the caller is lost. */
  send: (events: readonly NamedEvent[]) => boolean;
  end: () => void;
};

/**
 * Opens a stream of named events and takes the reply over from Fastify. It ends when the key or session that opened it does, and when
 * this process begins to stop: whoever comes back is told why, or goes on.
 */
export function openNamedEvents(reply: FastifyReply, caller: Caller): NamedEvents {
  const stream = openSse({ reply, caller });
  // A browser considers the stream open when it has the headers, however long the first event takes.
  reply.raw.flushHeaders();
  const leave = reply.server.readers.follow(reply.request, (loss) => {
    end();
    caller.lose(loss);
  });
  reply.raw.once('close', leave);

  function end(): void {
    leave();
    stream.end('');
  }

  return { send: (events) => events.length === 0 || stream.write(events.map(textOf).join('')), end };
}

function textOf({ event, id, data }: NamedEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `event: ${event}\n${place}data: ${JSON.stringify(data)}\n\n`;
}
