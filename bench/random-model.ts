import { parseArgs } from 'node:util';
import { type ModelShape, qwen600m, writeRandomModel } from '#test/random-model.ts';

/**
 * Writes a text model with the shape of Qwen3 0.6B and random weights (Q8_0, about 640 MB): the speed of inference
 * does not depend on the values. `node bench/random-model.ts FILE [--layers 28] [--width 1024] [--vocabulary 151936]`
 */
function writeBenchModel(path: string, shape: Partial<ModelShape> = {}): void {
  const merged = { ...qwen600m, ...shape };
  writeRandomModel(path, { shape: merged, seed: 1, kind: 'text', spread: 0.02, ends: true });
}

if (import.meta.main) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { layers: { type: 'string' }, width: { type: 'string' }, vocabulary: { type: 'string' } },
  });
  const [path] = positionals;
  if (path === undefined) throw new Error('usage: random-model.ts FILE [--layers N] [--width N] [--vocabulary N]');
  writeBenchModel(path, {
    layers: Number(values.layers ?? qwen600m.layers),
    width: Number(values.width ?? qwen600m.width),
    vocabulary: Number(values.vocabulary ?? qwen600m.vocabulary),
  });
}
