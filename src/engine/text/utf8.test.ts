import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { createUtf8Assembler } from './utf8.ts';

function assemble(bytes: Uint8Array, cuts: readonly number[]): string {
  const assembler = createUtf8Assembler();
  const points = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
  const pieces = points.map((point, index) => assembler.push(bytes.subarray(points[index - 1] ?? 0, point)));
  assert.ok(pieces.every((piece) => piece.isWellFormed()));
  return pieces.join('') + assembler.end();
}

test('any split of any bytes gives the same text, and valid text comes out as it went in', () => {
  const cuts = fc.array(fc.nat(40));
  const bytes = fc.uint8Array({ maxLength: 30 });
  fc.assert(fc.property(bytes, cuts, (input, points) => assert.equal(assemble(input, points), assemble(input, []))));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), cuts, (text, points) => {
      assert.equal(assemble(new TextEncoder().encode(text), points), text);
    }),
  );
});

test('an incomplete character is held back, and replaced once it cannot become whole', () => {
  const assembler = createUtf8Assembler();
  assert.equal(assembler.push(new Uint8Array([0x61, 0xf0, 0x9f])), 'a');
  assert.equal(assembler.push(new Uint8Array([0x99, 0x82])), '🙂');
  assert.equal(assembler.push(new Uint8Array([0xe2, 0x82])), '');
  assert.equal(assembler.push(new Uint8Array([0x62])), '\uFFFDb');
  assert.equal(assembler.push(new Uint8Array([0xef, 0xbb, 0xbf])), '\uFEFF');
  assert.equal(assembler.push(new Uint8Array([0xc3])), '');
  assert.equal(assembler.end(), '\uFFFD');
});
