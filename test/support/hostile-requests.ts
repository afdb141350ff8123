import { hostileBody } from './hostile-bodies.ts';
import words from './hostile-words.json' with { type: 'json' };
import type { Random } from './random.ts';

/** A request that the server would take as it is; what is sent is a corruption of it. */
export type Target = { method: string; path: string; body?: Record<string, unknown> };

type Header = [name: string, value: string];
type Draft = { method: string; path: string; version: string; headers: Header[]; body: string; tail: string };
type Corruption = (draft: Draft, random: Random, target: Target) => Partial<Draft>;

/** One malformed request as latin1 text, of one to three corruptions of a target. */
export function hostileRequest(random: Random, target: Target, key: string): string {
  let draft: Draft = {
    method: target.method,
    path: target.path,
    version: 'HTTP/1.1',
    headers: [
      ['Host', 'localhost'],
      ['Authorization', `Bearer ${key}`],
      ['Connection', 'close'],
    ],
    body: target.body ? JSON.stringify(target.body) : '',
    tail: '',
  };
  if (target.body) draft.headers.push(['Content-Type', 'application/json']);
  for (let left = 1 + random.integer(3); left > 0; left--)
    draft = { ...draft, ...random.pick(corruptions)(draft, random, target) };
  return render(draft);
}

function render({ method, path, version, headers, body, tail }: Draft): string {
  const isMeasured = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const length: Header[] = isMeasured || body === '' ? [] : [['Content-Length', String(body.length)]];
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} ${version}\r\n${lines.join('')}\r\n${body}${tail}`;
}

const corruptions: readonly Corruption[] = [
  (_, random) => ({ method: random.pick(words.methods) }),
  (_, random) => ({ version: random.pick(words.versions) }),
  ({ path }, random) => ({ path: inserted(random, path, random.pick(words.pathPieces)) }),
  ({ path }, random) => ({ path: `${path}?${random.pick([...words.queries, 'q=1&'.repeat(2_000)])}` }),
  ({ path }, random) => ({ path: random.pick(otherPaths(path)) }),
  ({ headers }, random) => ({ headers: [...headers, hostileHeader(random)] }),
  ({ headers }, random) => ({ headers: withHeader(headers, hostileHeader(random)) }),
  ({ headers }, random) => ({ headers: headers.toSpliced(random.integer(headers.length), 1) }),
  ({ headers }, random) => ({ headers: withHeader(headers, ['Content-Type', random.pick(words.contentTypes)]) }),
  ({ headers }, random) => ({ headers: withHeader(headers, ['Authorization', hostileCredentials(random, headers)]) }),
  ({ headers }) => ({ headers: [...headers, ...Array.from({ length: 3_000 }, (): Header => ['a', ''])] }),
  (_, random, { body }) => ({ body: hostileBody(random, body ?? {}) }),
  (_, random, { body }) => ({ body: hostileBody(random, body ?? {}) }),
  (_, random, { body }) => ({ body: hostileBody(random, body ?? {}) }),
  ({ headers, body }, random) => ({
    headers: withHeader(headers, ['Transfer-Encoding', 'chunked']),
    body: hostileChunks(random, body),
  }),
  (_, random) => ({ tail: random.pick([...words.tails, 'x'.repeat(5_000)]) }),
];

function inserted(random: Random, text: string, piece: string): string {
  const at = random.integer(text.length + 1);
  return text.slice(0, at) + piece + text.slice(at);
}

function otherPaths(path: string): string[] {
  const foreign = ['*', '', 'http://evil.example/', '/%', '//', '\\', `/${'a'.repeat(17_000)}`];
  return [...foreign, `http://localhost${path}`, path.toUpperCase(), `${path}/`];
}

function withHeader(headers: readonly Header[], header: Header): Header[] {
  return [...headers.filter(([name]) => name.toLowerCase() !== header[0].toLowerCase()), header];
}

function hostileHeader(random: Random): Header {
  const [name = '', value = ''] = random.pick([
    ...words.headers,
    ['X', 'x'.repeat(20_000)],
    ['Cookie', 'a=b; '.repeat(900)],
  ]);
  return [name, value];
}

function hostileCredentials(random: Random, headers: readonly Header[]): string {
  const good = headers.find(([name]) => name === 'Authorization')?.[1] ?? 'Bearer x';
  const cut = good.slice(0, random.integer(good.length + 1));
  const others = ['', 'Bearer', 'Bearer ', 'Basic YTpi', 'Bearer \xff\xfe', `Bearer fnf_${'0'.repeat(49)}`];
  const changed = [`${good} ${good}`, `${good},`, good.toLowerCase(), cut, `${cut}x${good.slice(cut.length + 1)}`];
  return random.pick([...others, ...changed, `Bearer ${'a'.repeat(8_000)}`]);
}

function hostileChunks(random: Random, body: string): string {
  const size = body.length.toString(16);
  return random.pick([
    `${size}\r\n${body}\r\n0\r\n\r\n`,
    `${size};ext="${'x'.repeat(500)}"\r\n${body}\r\n0\r\n\r\n`,
    `${[...body].map((unit) => `1\r\n${unit}\r\n`).join('')}0\r\n\r\n`,
    `${size}\r\n${body}\r\n0\r\nHost: evil\r\nAuthorization: x\r\n\r\n`,
    `${size}\r\n${body}\r\n`,
    `-1\r\n${body}\r\n0\r\n\r\n`,
    `fffffffffffffffff\r\n${body}`,
    `zz\r\n${body}\r\n0\r\n\r\n`,
    `${size}\n${body}\n0\n\n`,
    '0\r\n\r\n',
  ]);
}
