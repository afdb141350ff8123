import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { scan } from './scan.ts';
import { createScanner } from './scanner.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-scan-'));
});
after(() => rm(folder, { recursive: true }));

/** Repeatable noise. */
function unitVectors(rows: number, dimensions: number, seed: number): Float32Array[] {
  let state = seed | 1;
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state / 2 ** 31;
  };
  return Array.from({ length: rows }, () => {
    const vector = Float32Array.from({ length: dimensions }, next);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  });
}

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const joined = (vectors: readonly Float32Array[]) => Float32Array.from(vectors.flatMap((vector) => [...vector]));

async function write(vectors: readonly Float32Array[], dimensions: number) {
  const file = path.join(folder, `${crypto.randomUUID()}.f32`);
  await writeFile(file, new Uint8Array(joined(vectors).buffer));
  return { path: file, dimensions, rows: vectors.length };
}

test('the search is exact: it gives what comparing everything one by one gives', async () => {
  const shape = fc.record({
    // With 1,500 dimensions a block has 349 rows, so that the larger files take several.
    dimensions: fc.constantFrom(3, 64, 128, 1_500),
    rows: fc.integer({ min: 1, max: 900 }),
    queries: fc.integer({ min: 1, max: 5 }),
    count: fc.integer({ min: 1, max: 40 }),
    seed: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(shape, async ({ dimensions, rows, queries: asked, count, seed }) => {
      const vectors = unitVectors(rows, dimensions, seed);
      const queries = unitVectors(asked, dimensions, seed + 1);
      const found = await scan({ file: await write(vectors, dimensions), queries: joined(queries), count });
      assert.equal(found.perQuery, Math.min(count, rows));
      for (const [index, query] of queries.entries()) {
        const all = vectors.map((vector) => dot(query, vector));
        const best = all.toSorted((a, b) => b - a);
        const positions = [...found.positions.subarray(index * found.perQuery, (index + 1) * found.perQuery)];
        assert.equal(new Set(positions).size, found.perQuery);
        for (const [at, position] of positions.entries()) {
          const score = found.scores[index * found.perQuery + at] ?? 0;
          // Sums in another order differ in the last digits; nothing else may.
          assert.ok(Math.abs(score - (all[position] ?? 9)) < 1e-5 && Math.abs(score - (best[at] ?? 9)) < 1e-5);
        }
      }
    }),
    { numRuns: 25 },
  );
});

test('the process that searches is replaced when it dies, and many queries come back in their order', async () => {
  const scanner = createScanner(process.env);
  try {
    const vectors = unitVectors(200, 32, 5);
    const file = await write(vectors, 32);
    const { positions, perQuery } = await scanner.search(file, vectors.slice(0, 50), 3);
    assert.equal(perQuery, 3);
    for (let at = 0; at < 50; at++) assert.equal(positions[at * 3], at);
    scanner.stop();
    assert.equal((await scanner.search(file, [vectors[7] ?? new Float32Array(32)], 1)).positions[0], 7);
    const gone = { ...file, path: path.join(folder, 'gone.f32') };
    await assert.rejects(scanner.search(gone, vectors.slice(0, 1), 1), { fault: 'capacity_unavailable' });
  } finally {
    scanner.stop();
  }
});
