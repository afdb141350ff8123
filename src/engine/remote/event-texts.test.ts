import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createParser } from 'eventsource-parser';
import { fc } from '#test/properties.ts';
import { EventTexts } from './event-texts.ts';

/** What engines and proxies write, and what the format allows beside it. */
const line = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('data: {"a":1}\n\n', 'data: {"b":"ü"}\n\n', 'data: [DONE]\n\n') },
  {
    weight: 4,
    arbitrary: fc.constantFrom('data: x', 'data:y', 'data: ', 'data:', 'data', 'dat', 'data :z', ' data: x'),
  },
  { weight: 4, arbitrary: fc.constantFrom('\n', '\n\n', '\r\n', '\r\n\r\n', '\r', '\r\r', '\n\r', '') },
  {
    weight: 2,
    arbitrary: fc.constantFrom(': ping\n\n', ':', 'event: e\n', 'id: 1\n', 'retry: 9\n', 'event', 'foo: 1\n'),
  },
  { weight: 2, arbitrary: fc.constantFrom('\uFEFFdata: x\n\n', '\uFEFF', '\xEF', '\xEF\xBB\xBF', '\u2028', '\0') },
);
const cut = fc.array(line, { maxLength: 12 }).chain((lines) => {
  const text = lines.join('');
  const places = fc.array(fc.nat(text.length), { maxLength: 6 });
  return places.map((at) => piecesOf(text, at));
});

function piecesOf(text: string, places: readonly number[]): string[] {
  const ends = [...places, text.length].sort((a, b) => a - b);
  return ends.map((end, n) => text.slice(ends[n - 1] ?? 0, end));
}

/** The data that came with each piece. */
function readAll(pieces: readonly string[]): string[][] {
  let seen: string[] = [];
  const events = new EventTexts((text, from, to) => void seen.push(text.slice(from, to)));
  return pieces.map((piece) => {
    seen = [];
    events.feed(piece);
    return seen;
  });
}

function parseAll(pieces: readonly string[]): string[][] {
  let seen: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void seen.push(data) });
  return pieces.map((piece) => {
    seen = [];
    parser.feed(piece);
    return seen;
  });
}

test('events are read as the whole format says, whatever it is and wherever it is cut', () => {
  fc.assert(
    fc.property(cut, (pieces) => assert.deepEqual(readAll(pieces), parseAll(pieces))),
    { numRuns: 2_000 },
  );
});

test('each event of an engine comes with the piece that completes it', () => {
  const pieces = [
    'data: 1\n\nda',
    'ta: 2\n\n',
    ': ping\n\ndata: 3\n',
    '\ndata: 4\n\n',
    'data: 5\r\n\r\ndata: 6',
    '\n\n',
  ];
  assert.deepEqual(readAll(pieces), [['1'], ['2'], [], ['3', '4'], ['5'], ['6']]);
});

test('a mark of the byte order is one at the very beginning only', () => {
  const event = 'data: 1\n\n';
  assert.deepEqual(readAll(['', `\uFEFF${event}${event}`]), [[], ['1', '1']]);
  assert.deepEqual(readAll([event, `\uFEFF${event}${event}`]), [['1'], ['1']]);
});
