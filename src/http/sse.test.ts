import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';
import { type Caller, watchCaller } from './callers.ts';
import { openAiErrors } from './error-envelope.ts';
import { createServer } from './server.ts';
import { type EventStream, type EventStreamOptions, openSse } from './sse.ts';

let app: FastifyInstance;
let port = 0;

type Work = { stream: EventStream; caller: Caller; bufferedBytes: () => number; isOpen: () => boolean };
/** Of the test about silence: a comment after so long. */
const pingMs = 400;
const options: Partial<EventStreamOptions> = { maxBufferedBytes: 1_048_576, lingerMs: 200 };
const waiting: ((work: Work) => void)[] = [];
/** The server's side of the next stream. */
const nextWork = () => new Promise<Work>((resolve) => void waiting.push(resolve));

before(async () => {
  app = createServer({ authenticator: async () => null, probe: async () => {}, corsOrigins: ['https://a.example'] });
  for (const [path, more] of [
    ['/stream', { pingMs: 600_000 }],
    ['/pinged', { pingMs }],
  ] as const)
    app.post(path, { config: { operation: 'stream', access: 'public' } }, (_request, reply) => {
      const caller = watchCaller(reply);
      const stream = openSse({ reply, caller, ...options, ...more });
      const { socket } = reply.raw;
      const isOpen = () => socket?.destroyed === false;
      waiting.shift()?.({ caller, stream, bufferedBytes: () => reply.raw.writableLength, isOpen });
    });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = Number(new URL(app.listeningOrigin).port);
});

after(() => app.close());

/** A client on a bare socket, so that single writes and unread bytes can be seen. */
async function open(path = '/stream'): Promise<Work & { socket: Socket; chunks: string[] }> {
  const work = nextWork();
  const socket = connect(port, '127.0.0.1');
  const chunks: string[] = [];
  socket.on('error', () => {});
  socket.on('data', (data) => void chunks.push(data.toString()));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nOrigin: https://a.example\r\nConnection: close\r\n\r\n`);
  return { ...(await work), socket, chunks };
}

const events = (...texts: string[]) => texts.map((text) => `data: ${text}\n\n`).join('');
const textOf = (chunks: readonly string[]) => chunks.join('');

test('the headers are those of an event stream and leave together with the first frames', async () => {
  const { stream, socket, chunks } = await open();
  await sleep(30);
  assert.equal(textOf(chunks), '');
  stream.write(events('{"a":1}', '{"b":2}'));
  await once(socket, 'data');
  assert.equal(chunks.length, 1);
  const [head = '', body] = textOf(chunks).split('\r\n\r\n');
  assert.match(head, /^HTTP\/1\.1 200 OK\r\n/);
  for (const header of [
    'content-type: text/event-stream; charset=utf-8',
    'cache-control: no-cache, no-transform',
    'x-accel-buffering: no',
    'access-control-allow-origin: https://a.example',
  ])
    assert.ok(head.includes(header), header);
  assert.match(head, /x-request-id: req_/);
  assert.ok(body?.includes('data: {"a":1}\n\ndata: {"b":2}\n\n'));
  stream.end(events('[DONE]'));
});

test('frames of one step go out in one socket write, and the last ones together with [DONE]', async () => {
  const { stream, socket, chunks } = await open();
  stream.write(events('1'));
  await once(socket, 'data');
  stream.write(events('2', '3'));
  await once(socket, 'data');
  stream.end(events('4', '5', '[DONE]'));
  await once(socket, 'close');
  assert.equal(chunks.length, 3);
  assert.ok(chunks[1]?.includes('data: 2\n\ndata: 3\n\n'));
  assert.ok(chunks[2]?.includes('data: 4\n\ndata: 5\n\ndata: [DONE]\n\n'));
});

test('a body comes in chunks that tell their bytes, and its connection carries the next request', async () => {
  const socket = connect(port, '127.0.0.1');
  let got = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    got += text;
  });
  for (let n = 0; n < 2; n += 1) {
    const work = nextWork();
    got = '';
    socket.write('POST /stream HTTP/1.1\r\nHost: a\r\n\r\n');
    const { stream, caller } = await work;
    stream.write(events('"世界 🎈"', `"${'x'.repeat(300)}"`));
    while (!got.includes('xx')) await once(socket, 'data');
    stream.end(events('"ü"', '[DONE]'));
    while (!got.endsWith('\r\n0\r\n\r\n')) await once(socket, 'data');
    const [head = '', ...rest] = got.split('\r\n\r\n');
    assert.match(head, /\r\ntransfer-encoding: chunked(\r\n|$)/i);
    const first = `data: "世界 🎈"\n\ndata: "${'x'.repeat(300)}"\n\n`;
    const last = 'data: "ü"\n\ndata: [DONE]\n\n';
    const chunks = [first, last].map((text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`);
    assert.equal(rest.join('\r\n\r\n'), `${chunks.join('')}0\r\n\r\n`);
    assert.equal(caller.signal.aborted, false);
  }
  socket.destroy();
});

test('a client that knows no chunks gets the body as it is, up to the end of its connection', async () => {
  const work = nextWork();
  const socket = connect(port, '127.0.0.1');
  let got = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    got += text;
  });
  socket.write('POST /stream HTTP/1.0\r\nHost: a\r\n\r\n');
  const { stream } = await work;
  stream.write(events('"ü"'));
  while (!got.includes('ü')) await once(socket, 'data');
  stream.end(events('[DONE]'));
  await once(socket, 'close');
  const [head = '', body] = got.split('\r\n\r\n');
  assert.doesNotMatch(head, /transfer-encoding/i);
  assert.equal(body, 'data: "ü"\n\ndata: [DONE]\n\n');
});

test('a failed stream ends with the error frame, without [DONE], and the body ends cleanly', async () => {
  const answer = nextWork();
  const response = fetch(`http://127.0.0.1:${port}/stream`, { method: 'POST' });
  const { stream } = await answer;
  stream.write(events('1'));
  stream.end(events(openAiErrors.render(fault('generation_failed'), 'req_1')));
  assert.equal(stream.write(events('2')), false);
  stream.end(events('[DONE]'));
  const text = await (await response).text();
  const error = {
    message: 'The model stopped unexpectedly while generating.',
    type: 'invalid_response_error',
    param: null,
    code: 'generation_failed',
  };
  assert.equal(text, `data: 1\n\ndata: ${JSON.stringify({ error })}\n\n`);
});

test('silence is filled with comments, and a busy stream has none', async () => {
  for (;;) {
    const { stream, socket, chunks } = await open('/pinged');
    let longestGapMs = 0;
    for (let i = 0; i < 20; i++) {
      const framedMs = performance.now();
      stream.write(events('1'));
      await sleep(40);
      longestGapMs = Math.max(longestGapMs, performance.now() - framedMs);
    }
    const isQuiet = !textOf(chunks).includes(': ping');
    while (!textOf(chunks).includes(': ping')) await once(socket, 'data');
    stream.end(events('[DONE]'));
    await once(socket, 'close');
    // Where the machine itself fell silent, a comment was right.
    if (longestGapMs >= pingMs / 2) continue;
    assert.ok(isQuiet);
    return;
  }
});

test('a caller who leaves aborts the work at once, and writing to nobody is harmless', async () => {
  const { stream, caller, socket } = await open();
  stream.write(events('1'));
  socket.destroy();
  await once(caller.signal, 'abort');
  assert.equal(caller.signal.reason, 'disconnected');
  assert.equal(stream.write(events('2')), false);
  stream.end(events('[DONE]'));
  stream.end(events(openAiErrors.render(fault('generation_failed'), 'req_1')));
});

test('a stream that ended well aborts nothing', async () => {
  const { stream, caller, socket } = await open();
  stream.end(events('1', '[DONE]'));
  await once(socket, 'close');
  await sleep(20);
  assert.equal(caller.signal.aborted, false);
});

test('a caller who does not read is given up once 1 MiB waits for it, whatever the producer does', async () => {
  const { stream, caller, socket } = await open();
  socket.pause();
  const frame = `"${'x'.repeat(20_000)}"`;
  let written = 0;
  while (stream.write(events(frame))) {
    written += frame.length;
    assert.ok(written < 64 * 1_048_576, 'nothing stops the producer');
    await sleep(0);
  }
  assert.equal(caller.signal.reason, 'slow_reader');
  socket.destroy();
});

test('a caller who never takes the end of the stream loses the connection', async () => {
  const { stream, caller, socket, bufferedBytes, isOpen } = await open();
  socket.pause();
  // More than the buffers of the kernel take, yet each step less than what may wait.
  const frame = `"${'x'.repeat(300_000)}"`;
  while (stream.write(events(frame)) && bufferedBytes() < 300_000) await sleep(5);
  assert.equal(caller.signal.aborted, false);
  stream.end(events('[DONE]'));
  assert.ok(isOpen());
  while (isOpen()) await sleep(20);
  socket.destroy();
});
