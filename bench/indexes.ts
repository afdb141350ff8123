import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { scan } from '#indexes';
import { median } from './load.ts';
import type { Row } from './table.ts';

const dimensions = 1_024;
const documents = 100_000;
const rounds = 15;
const batch = 16;

/**
 * Exact search among 100,000 vectors of 1,024 float32: one query, and sixteen of an evaluation together. Beside it, in the
 * same rounds, what merely reading the file takes, which no search can be quicker than, and a plain loop over vectors in memory.
 */
export async function benchIndexes(): Promise<Row[]> {
  const file = path.join(tmpdir(), `fanfold-bench-${process.pid}.f32`);
  try {
    await writeVectors(file);
    const query = randomUnits(1);
    const queries = randomUnits(batch);
    const vectors = { path: file, dimensions, rows: documents };
    const inMemory = await readVectors(file);
    const times = { one: [] as number[], many: [] as number[], read: [] as number[], loop: [] as number[] };
    await scan({ file: vectors, queries: query, count: 10 });
    for (let round = 0; round < rounds; round++) {
      times.read.push(await timed(() => readThrough(file)));
      times.one.push(await timed(() => scan({ file: vectors, queries: query, count: 10 })));
      if (round % 5 > 0) continue;
      times.many.push(await timed(() => scan({ file: vectors, queries, count: 100 })));
      times.loop.push(await timed(async () => void loopOver(inMemory, query)));
    }
    const [one, many, read, loop] = [times.one, times.many, times.read, times.loop].map(median) as [
      ...[number, number, number, number],
    ];
    const peakMb = process.resourceUsage().maxRSS / 1024;
    return [
      {
        name: `exact search, ${documents} x ${dimensions}, one query, ms`,
        ratio: one,
        goal: 100,
        sense: 'at most',
        figures: `fastest ${Math.min(...times.one).toFixed(0)} ms; reading the file ${read.toFixed(0)} ms, loop in JavaScript ${loop.toFixed(0)} ms`,
      },
      {
        name: 'the same against a loop in JavaScript over vectors in memory',
        ratio: loop / one,
        goal: 2,
        sense: 'at least',
        figures: `${(many / batch).toFixed(1)} ms a query when ${batch} are asked together; peak ${peakMb.toFixed(0)} MB, of which the loop keeps 400`,
      },
    ];
  } finally {
    await rm(file, { force: true });
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function randomUnits(rows: number): Float32Array {
  const vectors = new Float32Array(rows * dimensions);
  for (let row = 0; row < rows; row++) {
    const vector = vectors.subarray(row * dimensions, (row + 1) * dimensions);
    let sum = 0;
    for (let at = 0; at < dimensions; at++) {
      const value = Math.random() - 0.5;
      vector[at] = value;
      sum += value * value;
    }
    const length = Math.sqrt(sum);
    for (let at = 0; at < dimensions; at++) vector[at] = (vector[at] ?? 0) / length;
  }
  return vectors;
}

async function writeVectors(file: string): Promise<void> {
  const handle = await open(file, 'w');
  const rows = 1_000;
  for (let written = 0; written < documents; written += rows)
    await handle.write(new Uint8Array(randomUnits(rows).buffer));
  await handle.close();
}

const blockBytes = 2 * 1024 * 1024;

async function readThrough(file: string): Promise<void> {
  const handle = await open(file, 'r');
  const block = new Uint8Array(blockBytes);
  while ((await handle.read(block, 0, block.length)).bytesRead > 0);
  await handle.close();
}

async function readVectors(file: string): Promise<Float32Array> {
  const vectors = new Float32Array(documents * dimensions);
  const handle = await open(file, 'r');
  const bytes = new Uint8Array(vectors.buffer);
  for (let got = 0; got < bytes.length; )
    got += (await handle.read(bytes, got, Math.min(blockBytes, bytes.length - got))).bytesRead;
  await handle.close();
  return vectors;
}

/** The best score; what one would write first. */
function loopOver(vectors: Float32Array, query: Float32Array): number {
  let best = Number.NEGATIVE_INFINITY;
  for (let row = 0; row < documents; row++) {
    let sum = 0;
    const from = row * dimensions;
    for (let at = 0; at < dimensions; at++) sum += (vectors[from + at] ?? 0) * (query[at] ?? 0);
    if (sum > best) best = sum;
  }
  return best;
}
