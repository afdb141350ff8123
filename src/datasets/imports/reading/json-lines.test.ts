import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { readJsonLines } from './json-lines.ts';

const maxRowBytes = 90;
const bounds = { maxTextBytes: 1e6, maxRows: 1_000, maxColumns: 10 };

/** Location, fields and problem of each row. */
async function rowsIn(text: Buffer, pieceBytes: number) {
  const chunks = Array.from({ length: Math.ceil(text.length / pieceBytes) }, (_, n) =>
    text.subarray(n * pieceBytes, (n + 1) * pieceBytes),
  );
  const rows = (await Array.fromAsync(readJsonLines(Readable.from(chunks), { ...bounds, maxRowBytes }))).flat();
  return rows.map(({ line, byteOffset, fields, problem }) => [line, byteOffset, fields, problem?.code ?? null]);
}

/** The same of a text that is divided by the engine. */
function rowsOf(text: string): unknown[] {
  let byteOffset = 0;
  return text.split('\n').flatMap((line, index) => {
    const bytes = Buffer.byteLength(line);
    const location = [index + 1, byteOffset];
    byteOffset += bytes + 1;
    if (bytes > maxRowBytes) return [[...location, null, 'too_large']];
    if (/^[ \r\t]*$/.test(line)) return [];
    return [[...location, ...readAs(line)]];
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

test('a text has the same rows at the same locations in whatever pieces it arrives', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 30 }), fc.integer({ min: 1, max: 300 }), async (lines, pieceBytes) => {
      const text = lines.join('\n');
      assert.deepEqual(await rowsIn(Buffer.from(text), pieceBytes), rowsOf(text));
    }),
    { numRuns: 200 },
  );
});
