import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type NativeContext, openModel } from '../../src/engine/llama/binding.ts';
import { normalised } from '../../src/engine/llama/embedding-runner.ts';
import { lastLogits } from '../../src/engine/llama/raw-outputs.fixture.ts';
import { convertAdapter } from '../../src/training/adapters/convert-adapter.ts';

/**
 * Adapters that the trainer made (`golden/`: rank 1 on every layer of both tiny models), converted and served by llama.cpp. What
 * torch said with them, and without, stands in `check.json`.
 */
type Check = { samples: { ids: number[]; stride: number; base: number[]; adapter: number[] }[] };

const folder = mkdtempSync(join(tmpdir(), 'fanfold-served-adapter-'));
after(() => rmSync(folder, { recursive: true }));
const local = (path: string) => fileURLToPath(new URL(path, import.meta.url));

function cosine(some: Float32Array, others: readonly number[]): number {
  assert.equal(some.length, others.length);
  let [dot, one, two] = [0, 0, 0];
  for (const [at, value] of some.entries()) {
    const other = others[at] ?? Number.NaN;
    dot += value * other;
    one += value * value;
    two += other * other;
  }
  return dot / Math.sqrt(one * two);
}

async function vectorOf(context: NativeContext, ids: Uint32Array): Promise<Float32Array> {
  context.disposeSequence(0);
  context.initBatch(ids.length);
  context.addToBatch(0, 0, ids, Uint32Array.from(ids.keys()));
  await context.decodeBatch();
  return normalised(context.getEmbedding(ids.length));
}

for (const name of ['chat', 'embed']) {
  test(`the ${name} model says with a converted adapter what it said in training`, async () => {
    const ggufPath = join(folder, `${name}.gguf`);
    const peftFolder = local(`golden/${name}`);
    const { rank } = await convertAdapter({ peftFolder, ggufPath, architecture: 'qwen3', provenance: {} });
    assert.equal(rank, 1);
    const check = JSON.parse(readFileSync(join(peftFolder, 'check.json'), 'utf8')) as Check;
    const path = local(`../../models/tiny-${name}/tiny-${name}.gguf`);
    const model = await openModel({ path, gpu: false, maxThreads: 1 });
    const options = { sequences: 1, contextTokens: 256, batchTokens: 256, threads: 1, embeddings: name === 'embed' };
    const context = await model.createContext(options);
    const adapter = await model.loadAdapter(ggufPath);
    const say = (ids: number[]) =>
      name === 'embed' ? vectorOf(context, Uint32Array.from(ids)) : lastLogits(model, context, Uint32Array.from(ids));

    assert.ok(check.samples.length > 0);
    for (const { ids, base, adapter: adapted } of check.samples) {
      context.setLoras([], []);
      assert.ok(cosine(await say(ids), base) > 0.999);
      context.setLoras([adapter], [1]);
      const said = await say(ids);
      assert.ok(cosine(said, adapted) > 0.999);
      assert.ok(cosine(said, base) < 0.99);
    }
    await context.dispose();
    await adapter.dispose();
    await model.dispose();
  });
}
