import net from 'node:net';
import { answerOf } from './raw-answer.ts';

/**
 * A remote engine that answers at once: it speaks OpenAI's JSON and streams. A stream has twenty pieces of text, as an
 * engine sends them, in one write. Run as a child; tells its port to the parent.
 *
 * It reads no more of HTTP than the gateways that are measured send, because whoever is measured shares two processors with
 * it: as a bare `node:http` server it took 33 µs for a call, which were as much part of the figures as what they are about.
 */
const head = (type: string, framing: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\nconnection: keep-alive\r\n${framing}\r\n\r\n`;
const json = (body: string) =>
  Buffer.from(`${head('application/json', `content-length: ${Buffer.byteLength(body)}`)}${body}`);
const frames = framesOf().join('');
const whole = json(answerOf());
const models = json(JSON.stringify({ object: 'list', data: [{ id: 'chat', object: 'model' }] }));
const stream = Buffer.from(
  `${head('text/event-stream', 'transfer-encoding: chunked')}${Buffer.byteLength(frames).toString(16)}\r\n${frames}\r\n0\r\n\r\n`,
);

const server = net.createServer({ noDelay: true }, (socket) => {
  let unread = '';
  socket.setEncoding('latin1');
  socket.on('data', (piece: string) => {
    unread += piece;
    for (let size = requestSize(unread); size !== null && size <= unread.length; size = requestSize(unread)) {
      socket.write(answerTo(unread.slice(0, size)));
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

function answerTo(request: string): Buffer {
  if (request.startsWith('GET ')) return models;
  return /"stream": ?true/.test(request) ? stream : whole;
}

function framesOf(): string[] {
  const chunk = (choice: object, more: object = {}) => {
    const head = { id: 'chatcmpl-0000', object: 'chat.completion.chunk', created: 1760000000, model: 'chat' };
    return `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  };
  const content = 'The quick brown fox jumps over the lazy dog. ';
  const usage = { prompt_tokens: 400, completion_tokens: 200, total_tokens: 600 };
  return [
    chunk({ delta: { role: 'assistant', content: '' }, finish_reason: null }),
    ...Array.from({ length: 20 }, () => chunk({ delta: { content }, finish_reason: null })),
    chunk({ delta: {}, finish_reason: 'stop' }, { usage }),
    'data: [DONE]\n\n',
  ];
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
