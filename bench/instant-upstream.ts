import http from 'node:http';
import { answerOf } from './raw-answer.ts';

/**
 * A remote engine that answers at once: a bare `node:http` server that speaks OpenAI's JSON and streams. A stream has twenty
 * pieces of text, as an engine sends them, in one write. Run as a child; tells its port to the parent.
 */
const whole = Buffer.from(answerOf());
const frames = Buffer.from(framesOf().join(''));
const models = Buffer.from(JSON.stringify({ object: 'list', data: [{ id: 'chat', object: 'model' }] }));

const server = http.createServer((request, response) => {
  if (request.method === 'GET') return answer(response, models);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const streams = typeof body === 'object' && body !== null && 'stream' in body && body.stream === true;
    if (!streams) return answer(response, whole);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(frames);
  });
});

function answer(response: http.ServerResponse, body: Buffer): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
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

// A proxy's idle connection must not end while it is used again: that would be measured as a failure.
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.({ port: address.port });
});
process.on('disconnect', () => process.exit(0));
