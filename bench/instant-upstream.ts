import net from 'node:net';
import { answerOf } from './raw-answer.ts';

/**
 * A remote engine that answers at once: it speaks OpenAI's JSON and streams. A stream has twenty pieces of text, as an
 * engine sends them, in one write. With BENCH_UPSTREAM=paced it is as fast as a GPU instead: the first of fifty pieces comes after
 * 20 ms, the others over 200 ms, each in a write of its own. Run as a child; sends its port to the parent.
 *
 * It reads no more of HTTP than the gateways that are measured send, because whoever is measured shares two processors with
 * it: as a bare `node:http` server it took 33 µs for a call, which were as much part of the figures as what they are about.
 */
const head = (type: string, framing: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: keep-alive\r\n${framing}\r\n\r\n`;
const json = (body: string) =>
  Buffer.from(`${head('application/json', `content-length: ${Buffer.byteLength(body)}`)}${body}`);
const isPaced = process.env['BENCH_UPSTREAM'] === 'paced';
const firstPieceMs = 20;
const otherPiecesMs = 200;
const pieces = isPaced ? 50 : 20;
const frameList = framesOf();
const frames = frameList.join('');
const whole = json(answerOf());
const models = json(JSON.stringify({ object: 'list', data: [{ id: 'chat', object: 'model' }] }));
const streamHead = head('text/event-stream', 'transfer-encoding: chunked');
const chunk = (text: string) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
const stream = Buffer.from(`${streamHead}${chunk(frames)}0\r\n\r\n`);
/** The role comes with the first piece, and the end with the last one. */
const pacedWrites = [
  `${streamHead}${chunk(frameList.slice(0, 2).join(''))}`,
  ...frameList.slice(2, pieces).map(chunk),
  `${chunk(frameList.slice(pieces).join(''))}0\r\n\r\n`,
];

const server = net.createServer({ noDelay: true }, (socket) => {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => {
    unread += piece;
    for (let size = requestSize(unread); size !== null && size <= unread.length; size = requestSize(unread)) {
      answer(socket, unread.slice(0, size));
      unread = unread.slice(size);
    }
  });
  // A gateway that ends while its connections rest.
  socket.on('error', () => socket.destroy());
});

/** Bytes of the first request of a text of bytes, or null while nobody can know. */
function requestSize(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const length = contentLength.exec(text.slice(0, headEnd));
  if (length === null && !text.startsWith('GET ')) throw new Error('A request without a content-length.');
  return headEnd + 4 + Number(length?.[1] ?? 0);
}

const contentLength = /\r\ncontent-length: *(\d+)/i;

function answer(socket: net.Socket, request: string): void {
  const isStream = /"stream": ?true/.test(request);
  if (request.startsWith('GET ')) socket.write(models);
  else if (!isPaced) socket.write(isStream ? stream : whole);
  else if (isStream) writePaced(socket, performance.now() + firstPieceMs, 0);
  else setTimeout(() => socket.write(whole), firstPieceMs + otherPiecesMs);
}

/** Timers are late on a busy machine: each piece is due at a time counted from the request, not from the piece before. */
function writePaced(socket: net.Socket, startMs: number, index: number): void {
  const dueMs = startMs + (otherPiecesMs * index) / (pacedWrites.length - 1);
  setTimeout(
    () => {
      socket.write(pacedWrites[index] ?? '');
      if (index + 1 < pacedWrites.length) writePaced(socket, startMs, index + 1);
    },
    Math.max(0, dueMs - performance.now()),
  );
}

function framesOf(): string[] {
  const frame = (choice: object, more: object = {}) => {
    const common = { id: 'chatcmpl-0000', object: 'chat.completion.chunk', created: 1760000000, model: 'chat' };
    return `data: ${JSON.stringify({ ...common, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  };
  const content = 'The quick brown fox jumps over the lazy dog. ';
  const usage = { prompt_tokens: 400, completion_tokens: 200, total_tokens: 600 };
  return [
    frame({ delta: { role: 'assistant', content: '' }, finish_reason: null }),
    ...Array.from({ length: pieces }, () => frame({ delta: { content }, finish_reason: null })),
    frame({ delta: {}, finish_reason: 'stop' }, { usage }),
    'data: [DONE]\n\n',
  ];
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
