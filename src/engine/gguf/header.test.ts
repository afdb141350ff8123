import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { cpuMsOf } from '#test/cpu-time.ts';
import { writeSampleModel } from '#test/model-files.ts';
import { fc } from '#test/properties.ts';
import { GgufError } from './bytes.ts';
import { readGgufHeader } from './header.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-gguf-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, 'model.gguf');
writeSampleModel(path, { kind: 'embedding' });
const good = readFileSync(path);

const u32 = (value: number) => Buffer.from(Uint32Array.of(value).buffer);
const u64 = (value: bigint) => Buffer.from(BigUint64Array.of(value).buffer);
const text = (value: string) => Buffer.concat([u64(BigInt(Buffer.byteLength(value))), Buffer.from(value)]);
const head = (tensors: bigint, keys: bigint, version = 3) =>
  Buffer.concat([Buffer.from('GGUF'), u32(version), u64(tensors), u64(keys)]);

function read(bytes: Uint8Array) {
  const file = join(folder, 'case.gguf');
  writeFileSync(file, bytes);
  return readGgufHeader(file);
}

/** Every refusal is one line for a person, whatever the bytes were. */
function isPlainRefusal(error: unknown): true {
  assert.ok(error instanceof GgufError, `threw ${error}`);
  assert.match(error.message, /^\P{Cc}{10,400}$/u);
  return true;
}

describe('GGUF header reader', () => {
  test('reads scalars and strings, counts parameters, and keeps no arrays', () => {
    const header = readGgufHeader(path);
    assert.equal(header.version, 3);
    assert.equal(header.values.get('general.architecture'), 'qwen3');
    assert.equal(header.values.get('qwen3.embedding_length'), 128);
    assert.equal(header.values.get('tokenizer.ggml.add_eos_token'), true);
    assert.equal(header.arrayLengths.get('tokenizer.ggml.tokens'), 3);
    assert.equal(header.values.has('tokenizer.ggml.tokens'), false);
    assert.equal(header.parameters, 384);
    assert.equal(header.tensorNames.size, 1);
  });

  test('an incomplete download is refused at every length, and never accepted', () => {
    const file = join(folder, 'cut.gguf');
    writeFileSync(file, good);
    // The last tensor ends before the padding; anything shorter than its end is incomplete.
    for (let size = good.length - 32; size >= 0; size -= 7) {
      truncateSync(file, size);
      assert.throws(() => readGgufHeader(file), isPlainRefusal);
    }
  });

  const hostile: [string, Buffer, RegExp][] = [
    ['another format', Buffer.from('PK\u0003\u0004 this is a zip archive, not a model'), /is not a GGUF file/],
    ['an empty file', Buffer.alloc(0), /is not a GGUF file/],
    ['a big-endian file', Buffer.concat([Buffer.from('GGUF'), u32(0x03000000), u64(0n), u64(0n)]), /big-endian/],
    ['version 1', head(0n, 0n, 1), /version 1/],
    ['a version of the future', head(0n, 0n, 4), /version 4/],
    ['2^64-1 tensors', head(2n ** 64n - 1n, 0n), /number of tensors is 18446744073709551615/],
    ['2^63 keys', head(0n, 2n ** 63n), /number of metadata keys/],
    ['a key of 2^40 bytes', Buffer.concat([head(0n, 1n), u64(2n ** 40n)]), /length of a metadata key/],
    ['a text of 2^60 bytes', Buffer.concat([head(0n, 1n), text('k'), u32(8), u64(2n ** 60n)]), /metadata text/],
    [
      'a text longer than the file',
      Buffer.concat([head(0n, 1n), text('k'), u32(8), u64(1000n)]),
      /cut short or too large/,
    ],
    [
      'an array of 2^50 items',
      Buffer.concat([head(0n, 1n), text('k'), u32(9), u32(4), u64(2n ** 50n)]),
      /length of "k"/,
    ],
    [
      'an array longer than the file',
      Buffer.concat([head(0n, 1n), text('k'), u32(9), u32(12), u64(15_000_000n)]),
      /cut short or too large/,
    ],
    [
      'arrays in arrays in arrays',
      Buffer.concat([head(0n, 1n), text('k'), ...Array.from({ length: 50 }, () => [u32(9), u32(9), u64(1n)]).flat()]),
      /nested too deeply|unknown element type|more than/,
    ],
    ['an unknown value type', Buffer.concat([head(0n, 1n), text('k'), u32(99), u64(0n)]), /unknown value type 99/],
    [
      'a key twice',
      Buffer.concat([head(0n, 2n), text('k'), u32(4), u32(1), text('k'), u32(4), u32(1)]),
      /"k" occurs twice/,
    ],
    ['5 dimensions', Buffer.concat([head(1n, 0n), text('t'), u32(5)]), /has 5 dimensions/],
    [
      'dimensions whose product overflows',
      Buffer.concat([head(1n, 0n), text('t'), u32(3), u64(2n ** 39n), u64(2n ** 39n), u64(2n ** 39n), u32(0), u64(0n)]),
      /impossible shape/,
    ],
    [
      'an offset far past the end',
      Buffer.concat([head(1n, 0n), text('t'), u32(1), u64(4n), u32(0), u64(2n ** 45n), Buffer.alloc(64)]),
      /is incomplete/,
    ],
    [
      'a name with control characters',
      Buffer.concat([head(0n, 1n), text('\u001b[2J\n\u2028x'), u32(99), u64(0n)]),
      /unknown value type/,
    ],
    [
      'an alignment of zero',
      Buffer.concat([head(0n, 1n), text('general.alignment'), u32(4), u32(0)]),
      /alignment must be a power of two/,
    ],
  ];
  for (const [name, bytes, message] of hostile) {
    test(`refuses ${name} in one line`, () => {
      assert.throws(
        () => read(bytes),
        (error) => isPlainRefusal(error) && message.test(String(error)),
      );
    });
  }

  test('refuses folders, and leaves a missing file to the error of the file system', () => {
    assert.throws(() => readGgufHeader(folder), isPlainRefusal);
    assert.throws(() => readGgufHeader(join(folder, 'none.gguf')), { code: 'ENOENT' });
  });

  test('mutated headers give a header or one line of refusal, in bounded memory', () => {
    const mutation = fc.record({
      at: fc.nat(good.length - 1),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 12 }),
      cut: fc.option(fc.nat(good.length), { nil: null }),
    });
    const rssBefore = process.memoryUsage().rss;
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 4 }), (mutations) => {
        let bytes = Buffer.from(good);
        for (const { at, bytes: patch, cut } of mutations) {
          bytes.set(patch.subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length));
          if (cut !== null) bytes = bytes.subarray(0, cut);
        }
        try {
          read(bytes);
        } catch (error) {
          isPlainRefusal(error);
        }
      }),
      { numRuns: 2000, seed: 7 },
    );
    assert.ok(process.memoryUsage().rss - rssBefore < 200 * 1024 * 1024);
  });

  test('a sparse file of many gigabytes that claims huge arrays costs neither time nor memory', () => {
    const file = join(folder, 'sparse.gguf');
    // 16 million empty strings follow, all inside the file: the header limit ends it.
    writeFileSync(file, Buffer.concat([head(0n, 4n), text('k'), u32(9), u32(8), u64(16_000_000n)]));
    truncateSync(file, 20 * 1024 ** 3);
    const rssBefore = process.memoryUsage().rss;
    const ms = cpuMsOf(() => assert.throws(() => readGgufHeader(file), isPlainRefusal));
    assert.ok(ms < 20_000, `${ms} ms`);
    assert.ok(process.memoryUsage().rss - rssBefore < 100 * 1024 * 1024);
  });
});
