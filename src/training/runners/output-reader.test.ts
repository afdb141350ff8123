import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { OutputReader } from './output-reader.ts';
import { maxLineBytes } from './protocol.ts';
import type { RunnerLine } from './runner.ts';
import { readEvent } from './trainer-events.ts';

const event = (seq: number) => `@evt ${JSON.stringify({ event: 'progress', seq, t: seq, active_ms: seq, step: seq })}`;

function read(pieces: readonly Buffer[], known = { afterSeq: 0, afterLine: 0 }): RunnerLine[] {
  const reader = new OutputReader(known);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

const anyLine = fc.oneof(
  fc.integer({ min: 1, max: 9 }).map(event),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('', '\r', 'a\rb', '\u001b[31mred\u001b[0m', '@evt {', 'nul \0 here', `${'x'.repeat(maxLineBytes)}y`),
);

test('output is read the same in whatever pieces it comes, and every line that is known is left out', () => {
  fc.assert(
    fc.property(fc.array(anyLine, { maxLength: 12 }), fc.array(fc.nat(400)), (lines, cuts) => {
      const bytes = Buffer.from(lines.join('\n'));
      const whole = read([bytes]);
      const pieces: Buffer[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(bytes.subarray(at, at + cut));
        at += cut;
      }
      assert.deepEqual(read([...pieces, bytes.subarray(at)]), whole);
      for (let index = 0; index < whole.length; index++) {
        const seen = whole.slice(0, index);
        const known = {
          afterSeq: Math.max(0, ...seen.map((line) => ('seq' in line ? line.seq : 0))),
          afterLine: Math.max(0, ...seen.map((line) => ('line' in line ? line.line : 0))),
        };
        assert.deepEqual(read([bytes], known), whole.slice(index));
      }
    }),
    { numRuns: 150 },
  );
});

test('text can be stored and shown: no control characters, no endless lines, no endless text', () => {
  const texts = (lines: string) => read([Buffer.from(lines)]).map((line) => 'text' in line && line.text);
  assert.deepEqual(texts('10%\r20%\r30%\nred \u001b[31mlamp\u001b[0m \0\u0007!\n\n  \n'), ['30%', 'red lamp !']);
  const [long] = texts('é'.repeat(maxLineBytes));
  assert.equal(long, `${'é'.repeat(4_000)} ...`);
  const many = texts(`${'x'.repeat(4_000)}\n`.repeat(2_100));
  assert.equal(many.length, 2_001);
  assert.equal(many.at(-1), 'There is more text, which is not kept.');
});

test('what is no event of the protocol is text, whatever it says of itself', () => {
  const fields = { seq: 1, t: 1, active_ms: 1 };
  const line = (value: unknown) => `@evt ${JSON.stringify(value)}`;
  const file = { step: 1, path: 'ckpt-000001', bytes: 5, sha256: 'a'.repeat(64) };
  assert.deepEqual(readEvent(line({ event: 'checkpoint', ...fields, ...file, more: 1 })), {
    event: 'checkpoint',
    ...fields,
    ...file,
  });
  for (const bad of [
    { event: 'checkpoint', ...fields, ...file, path: '../../etc/passwd' },
    { event: 'checkpoint', ...fields, ...file, path: '/etc/passwd' },
    { event: 'checkpoint', ...fields, ...file, sha256: 'b' },
    { event: 'progress', ...fields },
    { event: 'checkpoint', ...fields, ...file, path: 'deep/ckpt-000001' },
    { event: 'checkpoint', ...fields, ...file, path: 'x'.repeat(81) },
    { event: 'progress', ...fields, step: -1 },
    { event: 'progress', ...fields, step: 2 ** 31 },
    { event: 'progress', ...fields, seq: 0, step: 1 },
    { event: 'progress', ...fields, active_ms: -5, step: 1 },
    { event: 'progress', t: 1, active_ms: 1, step: 1 },
    { event: 'anything', ...fields },
    [fields],
    null,
  ])
    assert.equal(readEvent(line(bad)), null, JSON.stringify(bad));
  assert.equal(readEvent('@evt {"event":"progress","seq":1,"t":1,"active_ms":1,"step":1,"loss":NaN}'), null);
  assert.deepEqual(
    readEvent(line({ event: 'eval', ...fields, step: 2, phase: 'after', loss: 1.5, gain: { low: 0, x: 'no' } })),
    { event: 'eval', ...fields, step: 2, phase: 'after', metrics: { loss: 1.5, 'gain.low': 0 } },
  );
});
