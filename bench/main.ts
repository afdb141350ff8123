import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultSettings } from '#engine';
import { type ModelShape, qwen600m, writeRandomModel } from '#test/random-model.ts';
import { benchCallFiles } from './call-files.ts';
import { benchDecoding } from './decoding.ts';
import { benchGpuDecoding } from './decoding-gpu.ts';
import { benchEmbedding } from './embedding.ts';
import { benchExamples } from './examples.ts';
import { benchFeedback } from './feedback.ts';
import { benchGateways } from './gateways.ts';
import { benchGrowth } from './growth.ts';
import { benchHotPath } from './hot-path.ts';
import { benchImports } from './imports.ts';
import { benchIndexes } from './indexes.ts';
import { benchJobs } from './jobs.ts';
import { benchKeyCheck } from './key-check.ts';
import { benchLatency } from './latency.ts';
import { benchLighthouse } from './lighthouse.ts';
import { benchLists } from './lists.ts';
import { benchLlamaServer } from './llama-server.ts';
import { benchProtocols } from './protocols.ts';
import { benchReplicas } from './replicas.ts';
import { benchRouteLatency } from './route-latency.ts';
import { benchScrolling } from './scrolling.ts';
import { benchStart } from './start.ts';
import { printTable, type Row } from './table.ts';
import { benchTraining } from './training.ts';

/**
 * `npm run bench [-- name ...]`: prints one table, every ratio measured within one run on this machine. Nothing else
 * should run meanwhile: llama.cpp's threads spin, and a third busy process slows decoding down many times.
 */
const { threads } = defaultSettings();
/** The shape of the tiny chat model, which must not end on its own here. */
const tiny = {
  ...qwen600m,
  layers: 6,
  width: 192,
  heads: 3,
  cacheHeads: 1,
  headWidth: 64,
  feedForward: 512,
  vocabulary: 2048,
  contextTokens: 4096,
  format: 'F16',
} as const;
/** The shape of Qwen3 8B. */
const qwen8b: ModelShape = { ...qwen600m, layers: 36, width: 4096, heads: 32, feedForward: 12_288 };
const models = await mkdtemp(path.join(tmpdir(), 'fanfold-bench-models-'));

const benches: Record<string, () => Promise<Row[]>> = {
  'call-files': benchCallFiles,
  'hot-path': benchHotPath,
  protocols: benchProtocols,
  'key-check': benchKeyCheck,
  decoding: () =>
    benchDecoding({ name: 'tiny shape', gguf: randomModel('tiny.gguf', tiny), tokens: 2000, rounds: 5, threads }),
  'decoding-600m': () =>
    benchDecoding({
      name: '0.6B shape, Q8_0',
      gguf: randomModel('600m.gguf', qwen600m),
      tokens: 48,
      rounds: 3,
      threads,
    }),
  // Need a GPU: named only.
  'decoding-gpu-600m': () =>
    benchGpuDecoding({
      name: '0.6B shape, Q8_0',
      gguf: () => randomModel('600m.gguf', qwen600m),
      tokens: 200,
      rounds: 5,
      threads,
    }),
  'decoding-gpu-8b': () =>
    benchGpuDecoding({
      name: '8B shape, Q8_0',
      gguf: () => randomModel('8b.gguf', qwen8b),
      tokens: 100,
      rounds: 5,
      threads,
    }),
  embedding: () => benchEmbedding({ threads }),
  feedback: benchFeedback,
  growth: () => benchGrowth([10_000, 100_000, 1_000_000]),
  'growth-ten-million': () => benchGrowth([10_000, 1_000_000, 10_000_000]),
  indexes: benchIndexes,
  latency: benchLatency,
  'llama-server': () => benchLlamaServer({ threads }),
  lists: () => benchLists(),
  'route-latency': benchRouteLatency,
  gateways: benchGateways,
  replicas: benchReplicas,
  start: benchStart,
  training: () => benchTraining({ threads }),
  jobs: benchJobs,
  examples: () => benchExamples({ examples: 200_000 }),
  imports: () => benchImports({ rows: 100_000 }),
  'imports-million': () => benchImports({ rows: 1_000_000 }),
  // Fetches Lighthouse: named only.
  lighthouse: benchLighthouse,
  scrolling: benchScrolling,
  // Takes some eight minutes: named only.
  'examples-million': () => benchExamples({ examples: 1_000_000 }),
};

function randomModel(name: string, shape: ModelShape): string {
  const file = path.join(models, name);
  writeRandomModel(file, { shape, seed: 1, kind: 'text', spread: 0.3, ends: false });
  return file;
}

const onlyNamed = new Set([
  'decoding-gpu-600m',
  'decoding-gpu-8b',
  'examples-million',
  'growth-ten-million',
  'imports-million',
  'lighthouse',
  'scrolling',
]);
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !Object.hasOwn(benches, name));
const rows: Row[] = [];
try {
  if (unknown.length > 0)
    throw new Error(`There is no ${unknown.join(', ')}. There are: ${Object.keys(benches).join(', ')}`);
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 ? !wanted.includes(name) : onlyNamed.has(name)) continue;
    console.error(`measuring ${name} ...`);
    rows.push(...(await bench()));
  }
} finally {
  await rm(models, { recursive: true, force: true });
}
process.exitCode = printTable(rows) ? 0 : 1;
