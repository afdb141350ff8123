import { stat } from 'node:fs/promises';
import { serveRequests } from '#processes';
import { type NativeContext, type NativeModel, openModel } from '../llama/binding.ts';
import type { ProbeRequest, ProbeValues } from './adapter-probe.ts';

serveRequests(probe);

async function probe(request: ProbeRequest): Promise<ProbeValues[]> {
  const threads = await threadsFor(request.ggufPath);
  const model = await openModel({ path: request.ggufPath, gpu: false, maxThreads: threads });
  const base = await evaluate(model, request, { adapterPath: null, threads });
  const adapted = await evaluate(model, request, { adapterPath: request.adapterPath, threads });
  return base.map((each, index): ProbeValues => ({ base: each, adapted: adapted[index] ?? [] }));
}

/** Threads that wait for each other at each layer: for a small model the waiting is most of the work. */
const smallBytes = 200e6;

async function threadsFor(ggufPath: string): Promise<number> {
  const { size } = await stat(ggufPath);
  return size < smallBytes ? 1 : 2;
}

async function evaluate(
  model: NativeModel,
  { kind, samples }: ProbeRequest,
  { adapterPath, threads }: { adapterPath: string | null; threads: number },
): Promise<number[][]> {
  const longest = Math.max(...samples.map(({ length }) => length));
  const adapter = adapterPath === null ? null : await model.loadAdapter(adapterPath);
  const context = await model.createContext({
    sequences: 1,
    contextTokens: longest + 1,
    batchTokens: longest + 1,
    threads,
    embeddings: kind === 'embedding',
  });
  if (adapter) context.setLoras([adapter], [1]);
  const sampler = model.createSampler();
  sampler.applyConfig({ temperature: 0, seed: 1 });
  const all: number[][] = [];
  for (const sample of samples) {
    const tokens = Uint32Array.from(sample);
    all.push(kind === 'embedding' ? await vectorOf(context, tokens) : await logitsOf(context, tokens, sampler));
  }
  await context.dispose();
  await adapter?.dispose();
  return all;
}

async function vectorOf(context: NativeContext, tokens: Uint32Array): Promise<number[]> {
  context.disposeSequence(0);
  context.initBatch(tokens.length);
  context.addToBatch(
    0,
    0,
    tokens,
    tokens.map((_, place) => place),
  );
  await context.decodeBatch();
  return [...context.getEmbedding(tokens.length)];
}

async function logitsOf(
  context: NativeContext,
  tokens: Uint32Array,
  sampler: ReturnType<NativeModel['createSampler']>,
): Promise<number[]> {
  context.disposeSequence(0);
  context.initBatch(tokens.length);
  const [place = 0] = context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
  const [, , , logits] = await context.sampleToken(place, sampler, false, false, true);
  return byToken(logits);
}

function byToken(pairs: readonly number[]): number[] {
  const values: number[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) values[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
  return values;
}
