import net from 'node:net';
import { performance } from 'node:perf_hooks';

/** One closed-loop load run: `connections` sockets, each sends its next request when the last answer is complete. */
export type LoadOptions = {
  port: number;
  connections: number;
  durationMs: number;
  /** The raw HTTP/1.1 request of connection `c`, number `n`; rendered ahead, because rendering is not what is measured. */
  request: (connection: number, n: number) => Buffer;
  /** Whether a stream has its end; by default that of chat completions. */
  isWhole?: (answer: string) => boolean;
};

export type LoadResult = { calls: number; perSecond: number; p50Ms: number; p99Ms: number; failures: number };

const contentLength = /content-length: (\d+)/i;

/**
 * Drives a server over raw sockets: a few microseconds a request, so that the server is the bottleneck and not the
 * generator. Understands answers with a content-length and answers in chunks. Failures are answers other than 200,
 * streams without their end, and lost sockets.
 */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const { port, connections, durationMs, request, isWhole = isDone } = options;
  const latencies: number[] = [];
  let failures = 0;
  const start = performance.now();
  const deadline = start + durationMs;

  const drive = (connection: number) =>
    new Promise<void>((resolve) => {
      let sent = 0;
      let sentAt = 0;
      let answer = '';
      let isOver = false;
      const next = () => {
        sentAt = performance.now();
        isOver = sentAt >= deadline;
        if (isOver) socket.destroy();
        else socket.write(request(connection, sent++));
      };
      // One buffer for all that a connection reads: `net` would make one for each piece.
      const buffer = Buffer.allocUnsafe(64 * 1024);
      const take = (length: number) => {
        answer += buffer.toString('latin1', 0, length);
        const size = answerSize(answer);
        if (size === null || answer.length < size) return true;
        latencies.push(performance.now() - sentAt);
        if (!answer.startsWith('200', 9) || (isStream(answer) && !isWhole(answer))) failures++;
        answer = answer.slice(size);
        next();
        return true;
      };
      const onread = { buffer, callback: take };
      const socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread });
      socket.on('connect', next);
      // However it was lost, it is closed.
      socket.on('error', () => {});
      socket.on('close', () => {
        if (!isOver) failures++;
        resolve();
      });
    });

  await Promise.all(Array.from({ length: connections }, (_, connection) => drive(connection)));
  const seconds = (performance.now() - start) / 1000;
  latencies.sort((a, b) => a - b);
  return {
    calls: latencies.length,
    perSecond: latencies.length / seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    failures,
  };
}

/** Bytes of the first answer in the text of bytes, or null while nobody can know. */
function answerSize(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const head = text.slice(0, headEnd);
  // A connection has one request at a time, so nothing can follow the last chunk.
  if (inChunks.test(head)) return text.endsWith('\r\n0\r\n\r\n') ? text.length : null;
  return headEnd + 4 + Number(contentLength.exec(head)?.[1] ?? 0);
}

const inChunks = /transfer-encoding: chunked/i;

const isStream = (answer: string) => answer.includes('content-type: text/event-stream');
const isDone = (answer: string) => answer.includes('data: [DONE]');

/** The q-quantile of ascending values; NaN when there are none. */
export function quantile(ascending: readonly number[], q: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * q))] ?? Number.NaN;
}

/** The median of some values. */
export function median(values: readonly number[]): number {
  return quantile(
    [...values].sort((a, b) => a - b),
    0.5,
  );
}

/** A raw POST with a JSON body on a kept connection. */
export function postRequest(
  path: string,
  key: string | null,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const text = JSON.stringify(body);
  const auth = key === null ? '' : `authorization: Bearer ${key}\r\n`;
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${auth}${more.join('')}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  );
}
