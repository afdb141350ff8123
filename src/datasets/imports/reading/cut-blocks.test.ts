import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { cutIntoBlocks } from './cut-blocks.ts';
import { excerptOf, readBlock, readBlockAgain } from './line-blocks.ts';

const maxRowBytes = 90;

/** What is said of each row, read block by block. */
async function rowsIn(text: Buffer, { pieces, blockBytes }: { pieces: number; blockBytes: number }) {
  const chunks = Array.from({ length: Math.ceil(text.length / pieces) }, (_, n) =>
    text.subarray(n * pieces, (n + 1) * pieces),
  );
  const { blocks, release } = cutIntoBlocks(Readable.from(chunks), { maxRowBytes, blockBytes });
  const told: unknown[] = [];
  let linesBefore = 0;
  for await (const block of blocks) {
    const before = { lines: linesBefore, byteOffset: block.byteOffset };
    const { rows, lines } = readBlock(block, { maxRowBytes }, before);
    for (const row of rows) {
      const { line, byteOffset, fields, problem } = row;
      told.push([line, byteOffset, fields, problem?.code ?? null]);
      const at = (byteOffset ?? 0) - block.byteOffset;
      const again = readBlockAgain(block, { at, line, byteOffset: byteOffset ?? 0 }, maxRowBytes);
      assert.deepEqual({ ...again, excerpt: again.excerpt() }, { ...row, excerpt: row.excerpt() });
      assert.equal(excerptOf(block, at), row.excerpt());
    }
    linesBefore += lines();
    release(block.buffer.buffer);
  }
  return told;
}

/** The same of a text that is divided by the engine. */
function rowsOf(text: string): unknown[] {
  let byteOffset = 0;
  return text.split('\n').flatMap((line, index) => {
    const bytes = Buffer.byteLength(line);
    const place = [index + 1, byteOffset];
    byteOffset += bytes + 1;
    if (bytes > maxRowBytes) return [[...place, null, 'too_large']];
    if (/^[ \r\t]*$/.test(line)) return [];
    return [[...place, ...readAs(line)]];
  });
}

function readAs(line: string): [fields: unknown, code: string | null] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && !Array.isArray(value) ? [value, null] : [null, 'wrong_type'];
  } catch {
    return [null, 'bad_json'];
  }
}

const line = fc.oneof(
  fc.record({ a: fc.string({ unit: 'grapheme', maxLength: 12 }) }).map((row) => JSON.stringify(row)),
  fc.constantFrom('', ' \r', '{', '[1]', '7', '{"ü":"天"}\r'),
  fc.integer({ min: 80, max: 400 }).map((length) => `{"b":"${'x'.repeat(length)}"}`),
);

test('a text has the same rows at the same places in whatever pieces it comes and blocks it is cut into', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 30 }),
      fc.integer({ min: 1, max: 300 }),
      fc.integer({ min: 16, max: 200 }),
      async (lines, pieces, blockBytes) => {
        const text = lines.join('\n');
        assert.deepEqual(await rowsIn(Buffer.from(text), { pieces, blockBytes }), rowsOf(text));
      },
    ),
    { numRuns: 200 },
  );
});
