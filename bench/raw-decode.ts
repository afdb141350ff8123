import type { GpuTarget } from '../src/engine/gpu/backends.ts';
import { openModel } from '../src/engine/llama/binding.ts';

/**
 * The engine's own speed, without anything of ours around it: prompts are fed and tokens drawn in full batches straight
 * through the binding. A process of its own under the same settings as an engine child (`UV_THREADPOOL_SIZE=1`, the
 * same threads). The parent sends one job at a time.
 */
export type RawJob =
  | { type: 'decode'; sequences: number; promptTokens: number; tokens: number }
  | { type: 'embed'; inputs: number[]; rounds: number };
/** Decode: tokens per second, prompts included in the time. Embed: inputs per second. */
export type RawResult = { value: number };

const [path = '', kind = 'text', threads = '1', maxSequences = '8', gpu = 'false'] = process.argv.slice(2);
// as: the parent writes it.
const target = JSON.parse(gpu) as GpuTarget | false;
const model = await openModel({ path, gpu: target, maxThreads: Number(threads) });
const context = await model.createContext({
  sequences: kind === 'text' ? Number(maxSequences) : 1,
  contextTokens: kind === 'text' ? 4096 : 512,
  // All prompts are fed at once.
  batchTokens: 32 * Number(maxSequences) + 512,
  threads: Number(threads),
  embeddings: kind === 'embedding',
});
const sampler = () => {
  const native = model.createSampler();
  native.applyConfig({ temperature: 1, seed: 1 });
  return native;
};
const ids = (count: number, seed: number) =>
  Uint32Array.from({ length: count }, (_, i) => 40 + ((i * 7 + seed * 13) % 150));
const lastOf = (tokens: Uint32Array) => Uint32Array.of(tokens.length - 1);

async function decode({ sequences, promptTokens, tokens }: Extract<RawJob, { type: 'decode' }>): Promise<number> {
  const samplers = Array.from({ length: sequences }, sampler);
  const began = performance.now();
  let next = Array.from({ length: sequences }, (_, sequence) => ids(promptTokens, sequence));
  for (let drawn = 0; drawn < tokens; drawn++) {
    context.initBatch(next.reduce((sum, part) => sum + part.length, 0));
    const position = drawn === 0 ? 0 : promptTokens + drawn - 1;
    const places = next.map((part, sequence) => context.addToBatch(sequence, position, part, lastOf(part))[0] ?? 0);
    const decoded = context.decodeBatch();
    const sampled = Promise.all(
      places.map((place, sequence) => context.sampleToken(place, samplers[sequence] ?? sampler())),
    );
    await decoded;
    next = (await sampled).map((token) => Uint32Array.of(token));
  }
  const seconds = (performance.now() - began) / 1000;
  for (let sequence = 0; sequence < sequences; sequence++) context.disposeSequence(sequence);
  return (sequences * tokens) / seconds;
}

async function embed({ inputs, rounds }: Extract<RawJob, { type: 'embed' }>): Promise<number> {
  const began = performance.now();
  for (let round = 0; round < rounds; round++) {
    for (const length of inputs) {
      const tokens = ids(length, round);
      context.initBatch(length);
      context.addToBatch(0, 0, tokens, Uint32Array.from(tokens.keys()));
      await context.decodeBatch();
      context.getEmbedding(length);
      context.disposeSequence(0);
    }
  }
  return (rounds * inputs.length) / ((performance.now() - began) / 1000);
}

function perform(job: RawJob): Promise<number> {
  switch (job.type) {
    case 'decode':
      return decode(job);
    case 'embed':
      return embed(job);
  }
}

process.on(
  'message',
  (job) => void perform(job as RawJob).then((value) => process.send?.({ value } satisfies RawResult)),
);
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.send?.({ port: 0 });
