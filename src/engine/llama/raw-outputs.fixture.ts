import type { NativeContext, NativeModel } from './binding.ts';

/** The raw outputs of a model, to compare it with other forms of the same weights. */

/** Logits behind the last of the tokens, by token id. Uses sequence 0 of the context, which must hold the tokens in one batch. */
export async function lastLogits(
  model: Pick<NativeModel, 'createSampler'>,
  context: NativeContext,
  tokens: Uint32Array,
): Promise<Float32Array> {
  context.disposeSequence(0);
  context.initBatch(tokens.length);
  const [place] = context.addToBatch(0, 0, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
  return logitsAt(model, context, place ?? 0);
}

/** Logits of an output of the last batch. */
export async function logitsAt(
  model: Pick<NativeModel, 'createSampler'>,
  context: NativeContext,
  batchIndex: number,
): Promise<Float32Array> {
  const sampler = model.createSampler();
  try {
    sampler.applyConfig({ temperature: 0, seed: 0 });
    const [, , , pairs] = await context.sampleToken(batchIndex, sampler, false, false, true);
    const logits = new Float32Array(pairs.length / 2);
    for (let at = 0; at < pairs.length; at += 2) logits[pairs[at] ?? 0] = pairs[at + 1] ?? 0;
    return logits;
  } finally {
    sampler.dispose();
  }
}
