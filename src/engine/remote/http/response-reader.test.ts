import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ResponseReader } from './response-reader.ts';

type Seen = { statuses: number[]; headers: object; body: string; reusableMs: number | null };

/** Reads one response that comes in pieces. */
function read(pieces: readonly string[], { closes = false } = {}): Seen {
  const seen: Seen = { statuses: [], headers: {}, body: '', reusableMs: null };
  const reader = new ResponseReader(
    {
      head: (status, headers) => {
        seen.statuses.push(status);
        seen.headers = { ...headers };
      },
      piece: (bytes) => {
        seen.body += bytes.toString('latin1');
      },
      end: (reusableMs) => {
        seen.reusableMs = reusableMs;
      },
    },
    3_000,
  );
  reader.expect();
  for (const piece of pieces) reader.feed(Buffer.from(piece, 'latin1'));
  if (closes) assert.equal(reader.close(), true);
  return seen;
}

const ok = 'HTTP/1.1 200 OK\r\n';
const sized = `${ok}Content-Type: text/plain\r\nX-A:  1 \r\nx-a: 2\r\ncontent-length: 5\r\n\r\nhello`;
const chunked = `${ok}transfer-encoding: Chunked\r\n\r\n5\r\nhello\r\nA;ext="1"\r\n, 789 \r\n45\r\n0\r\nx-trailer: 1\r\n\r\n`;
const cut = (text: string, at: number) => [text.slice(0, at), text.slice(at)];

test('a response is read alike wherever it is cut into pieces', () => {
  for (const [text, body] of [
    [sized, 'hello'],
    [chunked, 'hello, 789 \r\n45'],
  ] as const) {
    for (let at = 0; at <= text.length; at += 1) {
      const { statuses, body: got, reusableMs } = read(cut(text, at));
      assert.deepEqual([statuses, got, reusableMs], [[200], body, 3_000]);
    }
    assert.equal(read([...text]).body, body);
  }
  assert.deepEqual(read([sized]).headers, { 'content-type': 'text/plain', 'x-a': '1, 2', 'content-length': '5' });
});

test('a body without a length ends with its connection, which serves nobody else', () => {
  const { body, reusableMs } = read([`${ok}content-type: a\r\n\r\nhel`, 'lo'], { closes: true });
  assert.deepEqual([body, reusableMs], ['hello', 0]);
});

test('what is said before the response is passed over, and what has no body ends at once', () => {
  assert.deepEqual(
    read([`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nlink: a\r\n\r\n${sized}`]).statuses,
    [200],
  );
  assert.deepEqual(read(['HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\n']).reusableMs, 3_000);
  assert.deepEqual(read([`${ok}content-length: 0\r\n\r\n`]).reusableMs, 3_000);
});

test('a connection rests for no longer than its server says', () => {
  const restOf = (fields: string, version = '1.1') =>
    read([`HTTP/${version} 200 OK\r\n${fields}content-length: 0\r\n\r\n`]).reusableMs;
  assert.equal(restOf('connection: close\r\n'), 0);
  assert.equal(restOf('Connection: Keep-Alive, Close\r\n'), 0);
  assert.equal(restOf('', '1.0'), 0);
  assert.equal(restOf('connection: keep-alive\r\n', '1.0'), 3_000);
  assert.equal(restOf('connection: keep-alive\r\nkeep-alive: timeout=3, max=10\r\n'), 2_000);
  assert.equal(restOf('keep-alive: timeout=1\r\n'), 0);
  assert.equal(restOf('keep-alive: timeout=60\r\n'), 3_000);
});

test('what does not say for certain where it ends is no response', () => {
  const heads = [
    ...['HTTP/2 200\r\n', 'HTTP/1.1 20 OK\r\n', 'ICY 200 OK\r\n', '\r\n', 'HTTP/1.1 101 Switching\r\n'],
    ...[`${ok}content-length: 5\r\ncontent-length: 5\r\n`, `${ok}content-length: 5\r\ntransfer-encoding: chunked\r\n`],
    ...[
      `${ok}content-length: -5\r\n`,
      `${ok}content-length: 0x5\r\n`,
      `${ok}content-length: 5, 5\r\n`,
      `${ok}content-length:\r\n`,
    ],
    ...[`${ok}transfer-encoding: gzip, chunked\r\n`, `${ok}transfer-encoding: identity\r\n`],
    ...[`${ok}content-length : 5\r\n`, `${ok}a: b\r\n folded\r\n`, `${ok}no colon\r\n`, `${ok}: 5\r\n`],
  ];
  for (const head of heads) assert.throws(() => read([`${head}\r\nhello`]), Error, head);
  const inChunks = `${ok}transfer-encoding: chunked\r\n\r\n`;
  for (const chunk of [
    '\r\n',
    '-5\r\n',
    '0x5\r\n',
    '5 5\r\nhello',
    'fffffffffffff\r\n',
    '4\r\nhello\r\n',
    `${'0'.repeat(5_000)}`,
  ])
    assert.throws(() => read([inChunks + chunk]), Error, chunk.slice(0, 20));
  assert.throws(() => read([`${inChunks}0\r\n${'a: b\r\n'.repeat(200)}`]));
  assert.throws(() => read([`${ok}a: ${'b'.repeat(70_000)}`]));
});

test('what comes behind a response is never taken for the next one', () => {
  assert.throws(() => read([`${sized}HTTP/1.1 200 OK\r\n\r\n`]), /without being asked/);
  assert.throws(() => read([sized, 'x']), /without being asked/);
  assert.throws(() => read([`HTTP/1.1 304 Not Modified\r\n\r\nx`]), /without being asked/);
});
