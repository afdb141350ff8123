import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { type DialectName, engineDialects } from './dialects/index.ts';
import { openUpstream, readText } from './upstream.ts';

const stops: (() => unknown)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

type Asked = { connection: number; says: string };

/**
 * An engine that promises to keep the connection of a stream. With `keeps` it does; without, as llama.cpp's server, it has closed the
 * connection by the time that the next request gets there.
 */
async function engine(name: string | null, { keeps }: { keeps: boolean }) {
  const sockets: Socket[] = [];
  const asked: Asked[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    const connection = sockets.length;
    let [text, isOver] = ['', false];
    socket.on('error', () => {});
    socket.on('data', (bytes) => {
      if (isOver) {
        socket.resetAndDestroy();
        return;
      }
      text += bytes.toString();
      const [head = '', body] = text.split('\r\n\r\n');
      if (body === undefined || body.length < Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)) return;
      text = '';
      const says = /^connection: (.*)$/im.exec(head)?.[1] ?? '';
      asked.push({ connection, says });
      const isStream = body.includes('"stream":true');
      socket.write(answer(name, isStream, says));
      if (says === 'close') socket.end();
      isOver = isStream && !keeps;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // as: it listens on a port.
  const { port } = server.address() as { port: number };
  return { asked, url: `http://127.0.0.1:${port}/v1` };
}

function answer(name: string | null, isStream: boolean, says: string): string {
  const keeping = says === 'close' ? 'connection: close' : 'keep-alive: timeout=600, max=100';
  const head = ['HTTP/1.1 200 OK', ...(name === null ? [] : [`server: ${name}`]), keeping];
  if (!isStream) return [...head, 'content-length: 2', '', '{}'].join('\r\n');
  return [...head, 'transfer-encoding: chunked', '', 'e', 'data: [DONE]\n\n', '0', '', ''].join('\r\n');
}

const signal = () => AbortSignal.timeout(180_000);

/** Asks an engine for one answer after the other, streams (`s`) and others (`o`). */
async function ask(url: string, api: DialectName, wanted: string): Promise<void> {
  const upstream = openUpstream({ url, ...engineDialects[api], secret: null, capacity: 4 });
  stops.push(upstream.close);
  for (const each of wanted) {
    const { body } = await upstream.post('/chat/completions', each === 's' ? { stream: true } : {}, signal());
    await readText(body);
  }
}

for (const [api, name] of [
  ['llama-server', null],
  ['openai', 'llama.cpp'],
] as const)
  test(`a call right after a stream of llama.cpp's server does not meet the end of its connection, set up as ${api}`, async () => {
    const { url, asked } = await engine(name, { keeps: false });
    await ask(url, api, 'ssosso');
    assert.equal(asked.map(({ says }) => says).join(), 'close,close,keep-alive,close,close,keep-alive');
  });

test('other engines are asked to keep the connection of a stream, once they have answered', async () => {
  for (const name of [null, 'uvicorn']) {
    const { url, asked } = await engine(name, { keeps: true });
    await ask(url, 'openai', 'ssos');
    assert.equal(asked.map(({ says }) => says).join(), 'close,keep-alive,keep-alive,keep-alive');
  }
});
