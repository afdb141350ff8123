import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import type { Fault } from '#kernel';
import { fc } from '#test/properties.ts';
import type { Delta } from '../port.ts';
import { ChatAnswer } from './chat-answer.ts';
import { openai } from './dialects/openai.ts';
import { readStream } from './remote-chat.ts';
import { type Chunk, delta, finish, usage } from './upstream.fixture.ts';

const frame = (chunk: Chunk) => `data: ${JSON.stringify(chunk)}\n\n`;

/** Reads a stream whose pieces come one after the other; tells which deltas came with each, and behind the last. */
async function readPieces(pieces: readonly Buffer[]): Promise<Delta[][]> {
  const body = new Readable({ read() {} });
  const seen: Delta[] = [];
  const options = { hasTools: false, parallelToolCalls: true, stop: [], fields: openai.answer };
  const { signal } = new AbortController();
  const read = readStream(body, new ChatAnswer(options), { signal, onDelta: (each) => void seen.push(each) });
  read.catch(() => {});
  const ofPieces: Delta[][] = [];
  for (const piece of pieces) {
    body.push(piece);
    await new Promise(setImmediate);
    ofPieces.push(seen.splice(0));
  }
  body.push(null);
  await read;
  return seen.length > 0 ? [...ofPieces, seen] : ofPieces;
}

test('text that came in one piece is one delta, and nothing waits for the next piece', async () => {
  const said = (text: string) => frame(delta({ content: text }));
  const thought = (text: string) => frame(delta({ reasoning_content: text }));
  const pieces = [
    thought('a'),
    [thought('b'), thought('c'), said('d')].join(''),
    [said('e'), said('f'), said('g')].join(''),
    said('h'),
    frame(finish('stop')),
  ];
  assert.deepEqual(await readPieces(pieces.map((piece) => Buffer.from(piece))), [
    [{ type: 'reasoning', text: 'a' }],
    [
      { type: 'reasoning', text: 'bc' },
      { type: 'content', text: 'd' },
    ],
    [{ type: 'content', text: 'efg' }],
    [{ type: 'content', text: 'h' }],
    [],
  ]);
});

test('where a stream is cut into pieces does not matter, not even inside a character', async () => {
  const texts = ['Grüße', ' an', ' 世界', ' 🎈🎈', '\n"and"', ' all'];
  const whole = Buffer.from([...texts.map((text) => frame(delta({ content: text }))), frame(finish('stop'))].join(''));
  for (const size of [1, 7, 64, whole.length]) {
    const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, n) =>
      whole.subarray(n * size, (n + 1) * size),
    );
    const deltas = (await readPieces(pieces)).flat();
    assert.equal(deltas.map((each) => (each.type === 'content' ? each.text : '?')).join(''), texts.join(''));
  }
});

test('what some write around their chunks changes nothing: byte order marks, events of nothing, blanks', async () => {
  const [hi, end] = [JSON.stringify(delta({ content: 'Hi' })), JSON.stringify(finish('stop'))];
  for (const stream of [
    `\uFEFFdata: ${hi}\n\ndata: ${end}\n\ndata: [DONE]\n\n`,
    `data: \n\ndata: ${hi}\n\ndata:\n\ndata: ${end}\n\ndata: [DONE] \n\n`,
    `data:${hi}\n\ndata:${end}\n\ndata:  [DONE]\n\n`,
    `: OK\r\n\r\ndata: ${hi}\r\n\r\ndata: \r\n\r\ndata: ${end}\r\n\r\ndata: [DONE]\r\n\r\n`,
  ]) {
    const deltas = (await readPieces([Buffer.from(stream)])).flat();
    assert.deepEqual(deltas, [{ type: 'content', text: 'Hi' }], JSON.stringify(stream));
  }
});

test('an engine that answers in one piece where it was asked for a stream has answered, and one that tells of an error has failed', async () => {
  const message = { role: 'assistant', content: 'Grüße' };
  const whole = JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] }, null, 2);
  for (const bytes of [whole, `\uFEFF\n${whole}\n`].map((text) => Buffer.from(text))) {
    const at = bytes.indexOf('ü') + 1;
    const blank = Buffer.from('\n ');
    for (const pieces of [[bytes], [bytes.subarray(0, at), bytes.subarray(at)], [blank, bytes]])
      assert.deepEqual((await readPieces(pieces)).flat(), [{ type: 'content', text: 'Grüße' }]);
  }
  const error = JSON.stringify({ error: { message: 'out of memory', type: 'server_error' } });
  const saysWhy = ({ options }: Fault): boolean => /out of memory/.test(options.internal ?? '');
  await assert.rejects(readPieces([Buffer.from(error)]), saysWhy);
});

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    'a',
    '"',
    '\\',
    '\n',
    '\\n',
    '世',
    '<',
    '<think>',
    '</think>',
    '"},"x":"',
    'data: ',
    '\n\ndata: [DONE]\n\n',
  ),
);
const chunk = fc.oneof(
  { weight: 6, arbitrary: text.map((content) => delta({ content })) },
  { weight: 3, arbitrary: text.map((reasoning_content) => delta({ reasoning_content })) },
  { weight: 1, arbitrary: text.map((reasoning) => delta({ reasoning })) },
  { weight: 1, arbitrary: text.map((content) => ({ ...delta({ content }), usage: { completion_tokens: 3 } })) },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([content, id]) => ({ ...delta({ content }), id })) },
  { weight: 1, arbitrary: fc.tuple(text, text).map(([content, reasoning]) => delta({ content, reasoning })) },
  { weight: 1, arbitrary: fc.constantFrom(delta({ role: 'assistant', content: '' }), delta({}), usage({}), {}) },
);
const between = fc.constantFrom('\n\n', '\n\n', '\n\n', '\r\n\r\n', '\n\n: ping\n\n', '\nevent: x\n\n');

/** Neighbours of one kind as one. */
function joined(deltas: readonly Delta[]): Delta[] {
  const all: Delta[] = [];
  for (const each of deltas) {
    const last = all.at(-1);
    if (last && 'text' in last && 'text' in each && last.type === each.type) last.text += each.text;
    else all.push({ ...each });
  }
  return all;
}

test('a stream says what its chunks say one by one, whatever they are and wherever it is cut', async () => {
  const chunks = fc.array(fc.tuple(chunk, between), { maxLength: 12 });
  const places = fc.array(fc.nat(4_000), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(chunks, places, async (stream, at) => {
      const all: [Chunk, string][] = [...stream, [finish('stop'), '\n\n']];
      const answer = new ChatAnswer({ hasTools: false, parallelToolCalls: true, stop: [], fields: openai.answer });
      const expected = [...all.flatMap(([each]) => answer.push(each)), ...answer.end()];
      const whole = Buffer.from(all.map(([each, end]) => `data: ${JSON.stringify(each)}${end}`).join(''));
      const ends = [...at.filter((place) => place < whole.length), whole.length].sort((a, b) => a - b);
      const pieces = ends.map((end, n) => whole.subarray(ends[n - 1] ?? 0, end));
      assert.deepEqual(joined((await readPieces(pieces)).flat()), joined(expected));
    }),
    { numRuns: 300 },
  );
});
