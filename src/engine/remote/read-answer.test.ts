import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Delta } from '../port.ts';
import { AnswerBody } from './answer-body.ts';
import { ChatAnswer } from './chat-answer.ts';
import { readStream } from './read-answer.ts';
import { type Chunk, delta, finish } from './upstream.fixture.ts';

const frame = (chunk: Chunk) => `data: ${JSON.stringify(chunk)}\n\n`;

/** Reads a stream whose pieces come one after the other; tells which deltas came with each. */
async function readPieces(pieces: readonly Buffer[]): Promise<Delta[][]> {
  const unused = () => assert.fail('Nothing is ended early here.');
  const body = new AnswerBody({ abort: unused });
  const seen: Delta[] = [];
  const options = { hasTools: false, parallelToolCalls: true, stop: [] };
  const { signal } = new AbortController();
  const read = readStream({ status: 200, headers: {}, body }, new ChatAnswer(options), {
    signal,
    onDelta: (each) => void seen.push(each),
  });
  const ofPieces = pieces.map((piece) => {
    body.add(piece);
    return seen.splice(0);
  });
  body.end(null);
  await read;
  return ofPieces;
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
