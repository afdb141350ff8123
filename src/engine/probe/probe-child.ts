import { stat } from 'node:fs/promises';
import { messageOf } from '#kernel';
import { type NativeContext, type NativeModel, openModel } from '../llama/binding.ts';
import type { FromProbe, ProbeValues, ToProbe } from './probe-protocol.ts';

type Question = Extract<ToProbe, { type: 'probe' }>;

const smallBytes = 200e6;

/** The program of the probing child (`probe-protocol.ts`). */
function main(): void {
  // A terminal or a service manager signals the whole group; the server says `stop`.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  process.on('disconnect', end);
  // The channel carries only what the parent sends, typed by the protocol.
  process.on('message', (received) => {
    const message = received as ToProbe;
    if (message.type === 'stop') end();
    else void answer(message).then(send);
  });
}

async function answer(question: Question): Promise<FromProbe> {
  try {
    const threads = await threadsFor(question.ggufPath);
    const model = await openModel({ path: question.ggufPath, gpu: false, maxThreads: threads });
    const base = await ask(model, question, { adapterPath: null, threads });
    const adapted = await ask(model, question, { adapterPath: question.adapterPath, threads });
    const values = base.map((each, index): ProbeValues => ({ base: each, adapted: adapted[index] ?? [] }));
    return { type: 'probed', values };
  } catch (error) {
    return { type: 'failed', message: messageOf(error) };
  }
}

/** Threads that wait for each other at each layer: for a small model the waiting is most of the work. */
async function threadsFor(ggufPath: string): Promise<number> {
  const { size } = await stat(ggufPath);
  return size < smallBytes ? 1 : 2;
}

/** A context of its own, as the engine gives each adapter. */
async function ask(
  model: NativeModel,
  { kind, samples }: Question,
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

/** Pairs of a token and its logit, in any order. */
function byToken(pairs: readonly number[]): number[] {
  const values: number[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) values[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
  return values;
}

function send(message: FromProbe): void {
  // A channel that has closed ends this process: see 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}

/** Nothing here needs an orderly end, and native code may be at work. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

main();
