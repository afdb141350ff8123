import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { qwen600m, writeRandomModel } from '#test/random-model.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from '../src/engine/llama/child-driver.fixture.ts';
import { median } from './load.ts';
import { startRawEngine } from './raw-engine.ts';

/**
 * Tokens per second of an engine child, driven over its channel, against raw batched decoding; in turns, in one run. It
 * tells the cost of the child's own loop from that of the server around it.
 * `node bench/engine-loop.ts [GGUF] [--threads 1] [--rounds 9] [--tokens 400]`; the default is random weights in the
 * shape of the tiny chat model.
 */
const tiny = { layers: 6, width: 192, heads: 3, cacheHeads: 1, headWidth: 64, feedForward: 512, vocabulary: 2048 };

async function servedRate(child: ChildDriver, run: { streams: number; tokens: number; round: number }) {
  const prompts = Array.from({ length: run.streams }, (_, i) => userPrompt(`${i} ${run.round}`));
  const prepared = await Promise.all(prompts.map((prompt) => child.prepare(prompt)));
  const sampling = { maxTokens: run.tokens, temperature: 1 };
  const beganMs = performance.now();
  const ends = await Promise.all(prepared.map(({ handle }) => child.generate(handle, sampling, `${run.round}`).done));
  const seconds = (performance.now() - beganMs) / 1000;
  return ends.reduce((sum, end) => sum + finishedOf(end).usage.completionTokens, 0) / seconds;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '9' },
    tokens: { type: 'string', default: '400' },
  },
});
const [threads, rounds, tokens] = [Number(values.threads), Number(values.rounds), Number(values.tokens)];
const folder = mkdtempSync(join(tmpdir(), 'fanfold-bench-'));
const gguf = positionals[0] ?? join(folder, 'tiny.gguf');
if (positionals[0] === undefined) {
  const shape = { ...qwen600m, ...tiny, contextTokens: 4096, format: 'F16' } as const;
  writeRandomModel(gguf, { shape, seed: 1, kind: 'text', spread: 0.02, ends: false });
}
const raw = await startRawEngine({ gguf, kind: 'text', threads });
const config = { ...smallConfig, ggufPath: gguf, maxContextTokens: 4096, sequences: 8, batchTokens: 512, threads };
const child = await ChildDriver.start({ ...config, prefillChunkTokens: 64 });
for (const streams of [1, 4, 8]) {
  const samples: { raw: number; child: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    samples.push({
      raw: await raw.run({ type: 'decode', sequences: streams, promptTokens: 29, tokens }),
      child: await servedRate(child, { streams, tokens, round }),
    });
  }
  const rate = (of: 'raw' | 'child') => median(samples.map((sample) => sample[of])).toFixed(0);
  const ratio = median(samples.map((sample) => sample.child / sample.raw));
  console.log(`${streams} streams: child / raw ${ratio.toFixed(3)} (${rate('child')} / ${rate('raw')} tokens/s)`);
}
await child.stop();
raw.stop();
rmSync(folder, { recursive: true });
