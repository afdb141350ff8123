import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { writeRandomAdapter } from '#test/lora-adapter.ts';
import { smallShape, writeRandomModel, writeSplitModel } from '#test/random-model.ts';
import { type NativeContext, openModel } from './binding.ts';
import { lastLogits, logitsAt } from './raw-outputs.fixture.ts';

/** What the engine relies on in the pinned node-llama-cpp: each member it uses, and how it behaves. */
const folder = mkdtempSync(join(tmpdir(), 'fanfold-binding-'));
const file = (name: string) => join(folder, name);
writeRandomModel(file('text.gguf'), { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false });
writeRandomModel(file('embed.gguf'), { shape: smallShape, seed: 2, kind: 'embedding', spread: 0.2, ends: false });
const adapter = { shape: smallShape, rank: 4, alpha: 8, seed: 3, spreadOfB: 0.3 };
writeRandomAdapter(file('a.gguf'), adapter);
writeRandomAdapter(file('zero.gguf'), { ...adapter, spreadOfB: 0 });

const model = await openModel({ path: file('text.gguf'), gpu: false, maxThreads: 1 });
const parts = writeSplitModel(folder, { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false, count: 3 });
const split = await openModel({ path: parts[0] ?? '', gpu: false, maxThreads: 1 });
const embedder = await openModel({ path: file('embed.gguf'), gpu: false, maxThreads: 1 });
const shape = { sequences: 4, contextTokens: 256, batchTokens: 64, threads: 1, embeddings: false };
const words = (seed: number, count: number) => Uint32Array.from({ length: count }, (_, i) => (seed + i * 37) % 250);

after(async () => {
  await model.dispose();
  await split.dispose();
  await embedder.dispose();
  rmSync(folder, { recursive: true });
});

async function withContext(work: (context: NativeContext) => Promise<void>): Promise<void> {
  const context = await model.createContext(shape);
  try {
    await work(context);
  } finally {
    await context.dispose();
  }
}

/** Feeds tokens to a sequence and returns the logits behind the last one. */
async function feed(context: NativeContext, sequence: number, position: number, tokens: Uint32Array) {
  context.initBatch(tokens.length);
  const [place] = context.addToBatch(sequence, position, tokens, Uint32Array.of(tokens.length - 1));
  await context.decodeBatch();
  return logitsAt(model, context, place ?? 0);
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  a.forEach((value, i) => {
    const other = b[i] ?? 0;
    dot += value * other;
    aa += value * value;
    bb += other * other;
  });
  return dot / Math.sqrt(aa * bb);
}

describe('model', () => {
  test('the facts of the file are read', () => {
    assert.equal(model.facts.vocabularySize, smallShape.vocabulary);
    assert.equal(model.facts.pooling, null);
    assert.equal(embedder.facts.pooling, 'last');
    assert.ok(model.facts.chatTemplate?.includes('im_start'));
    assert.deepEqual([model.addon.shouldAppendEosToken(), embedder.addon.shouldAppendEosToken()], [false, true]);
    assert.equal(embedder.addon.getEmbeddingVectorSize(), smallShape.width);
  });

  test('a control token in plain text stays text', () => {
    assert.deepEqual([...model.addon.tokenize('<|im_end|>', true)], [258]);
    assert.equal(model.addon.tokenize('<|im_end|>', false).length, '<|im_end|>'.length);
  });

  test('a model in several files is the same as in one: the library finds the parts beside the first', async () => {
    assert.equal(split.facts.vocabularySize, smallShape.vocabulary);
    const logitsOf = async (opened: typeof model) => {
      const context = await opened.createContext(shape);
      try {
        return await lastLogits(opened, context, words(5, 8));
      } finally {
        await context.dispose();
      }
    };
    assert.deepEqual(await logitsOf(split), await logitsOf(model));
  });

  test('a file that is no model is refused with a reason', async () => {
    await assert.rejects(openModel({ path: file('none.gguf'), gpu: false, maxThreads: 1 }), /ENOENT/);
    await assert.rejects(openModel({ path: file('a.gguf'), gpu: false, maxThreads: 1 }), /./);
  });
});

describe('context', () => {
  test('sequences of one batch do not see each other', () =>
    withContext(async (context) => {
      const alone = await feed(context, 0, 0, words(1, 20));
      context.disposeSequence(0);
      context.initBatch(40);
      const [first] = context.addToBatch(0, 0, words(1, 20), Uint32Array.of(19));
      const [second] = context.addToBatch(1, 0, words(99, 20), Uint32Array.of(19));
      await context.decodeBatch();
      assert.ok(cosine(alone, await logitsAt(model, context, first ?? 0)) > 0.99999);
      assert.ok(cosine(alone, await logitsAt(model, context, second ?? 0)) < 0.9);
    }));

  test('cells can be removed from a position on and fed anew', () =>
    withContext(async (context) => {
      const whole = await feed(context, 2, 0, words(1, 30));
      assert.equal(context.removeTokenCellsFromSequence(2, 10, -1), true);
      assert.equal(context.getSequenceKvCacheMaxPosition(2), 9);
      const again = await feed(context, 2, 10, words(1, 30).subarray(10));
      assert.ok(cosine(whole, again) > 0.99999);
    }));

  test('a copied sequence goes on like the one it was copied from, also when that is overwritten before the copy is made', () =>
    withContext(async (context) => {
      await feed(context, 0, 0, words(1, 30));
      await feed(context, 3, 0, words(7, 12));
      const expected = await feed(context, 0, 30, words(5, 1));
      await context.copySequenceStateFromOtherSequence(3, 0);
      context.removeTokenCellsFromSequence(3, 30, -1);
      context.disposeSequence(0);
      context.initBatch(41);
      context.addToBatch(0, 0, words(200, 40), new Uint32Array(0));
      const [place] = context.addToBatch(3, 30, words(5, 1), Uint32Array.of(0));
      await context.decodeBatch();
      assert.ok(cosine(expected, await logitsAt(model, context, place ?? 0)) > 0.9999);
    }));

  for (const [name, more] of [
    ['a sliding window', { window: 32 }],
    ['recurrent layers', { convolution: 3 }],
    ['recurrent layers and a sliding window', { convolution: 3, window: 32 }],
  ] as const)
    test(`a checkpoint brings back what a sequence was, in another one too, once a copy has been made: ${name}`, async () => {
      const path = file('checkpoint.gguf');
      const layers = { ...smallShape, layers: 6, ...more };
      writeRandomModel(path, { shape: layers, seed: 1, kind: 'text', spread: 0.2, ends: false });
      const one = await openModel({ path, gpu: false, maxThreads: 1 });
      const context = await one.createContext({ ...shape, contextTokens: 1024 });
      const fed = async (sequence: number, from: number, tokens: Uint32Array) => {
        let place: number | undefined;
        for (let at = 0; at < tokens.length; at += 64) {
          const part = tokens.subarray(at, at + 64);
          context.initBatch(part.length);
          [place] = context.addToBatch(sequence, from + at, part, Uint32Array.of(part.length - 1));
          await context.decodeBatch();
        }
        return logitsAt(one, context, place ?? 0);
      };
      assert.equal(one.facts.attention.isRecurrent, 'convolution' in more);
      await fed(0, 0, words(1, 300));
      const checkpoint = one.createCheckpoint();
      await checkpoint.init(context, 0);
      assert.equal(checkpoint.maxPos, 299);
      assert.ok(checkpoint.size > 100 && checkpoint.size < 1e6);
      await fed(0, 300, words(7, 400));
      const expected = await fed(1, 0, Uint32Array.of(...words(1, 300), ...words(9, 20)));
      await context.copySequenceStateFromOtherSequence(3, 0);
      await fed(3, 700, words(5, 1));
      for (const sequence of [3, 0]) {
        assert.equal(await context.restoreCheckpoint(checkpoint, 299, sequence), true);
        assert.equal(context.getSequenceKvCacheMaxPosition(sequence), 299);
        assert.ok(cosine(expected, await fed(sequence, 300, words(9, 20))) > 0.999);
      }
      checkpoint.dispose();
      assert.equal(checkpoint.size, 0);
      await context.dispose();
      await one.dispose();
    });

  test('a batch that does not fit is refused, and the context still works', () =>
    withContext(async (context) => {
      for (let at = 0; at < 256; at += 64) await feed(context, 0, at, words(at, 64));
      await assert.rejects(feed(context, 0, 256, words(1, 1)), /KV slot/);
      context.disposeSequence(0);
      await feed(context, 0, 0, words(1, 5));
    }));

  test('a token is drawn from the output at its place in the batch', () =>
    withContext(async (context) => {
      const logits = await lastLogits(model, context, words(3, 10));
      const best = logits.indexOf(Math.max(...logits));
      const sampler = model.createSampler();
      sampler.applyConfig({ temperature: 0, seed: 1 });
      assert.equal(await context.sampleToken(9, sampler), best);
      sampler.dispose();
    }));
});

describe('sampler', () => {
  async function draw(config: Parameters<ReturnType<typeof model.createSampler>['applyConfig']>[0], count: number) {
    const drawn: number[] = [];
    await withContext(async (context) => {
      const sampler = model.createSampler();
      sampler.applyConfig(config);
      await lastLogits(model, context, words(3, 10));
      for (let i = 0; i < count; i++) drawn.push(await context.sampleToken(9, sampler));
      sampler.dispose();
    });
    return drawn;
  }

  test('a seed repeats its draws, another one draws differently', async () => {
    const config = { temperature: 1, seed: 5 };
    assert.deepEqual(await draw(config, 12), await draw(config, 12));
    assert.notDeepEqual(await draw(config, 12), await draw({ ...config, seed: 6 }, 12));
  });

  test('top-p next to 0 leaves the most likely token only', async () => {
    const [best] = await draw({ temperature: 0, seed: 1 }, 1);
    assert.deepEqual(new Set(await draw({ temperature: 2, topP: 1e-6, seed: 5 }, 8)), new Set([best]));
  });

  test('penalties count the tokens that were drawn', async () => {
    const config = {
      temperature: 0,
      seed: 1,
      repeatPenalty: 1,
      repeatPenaltyTokens: new Uint32Array(0),
      repeatPenaltyMaxTokens: 50,
      repeatPenaltyPresencePenalty: 100,
      repeatPenaltyFrequencyPenalty: 0,
    };
    const drawn = await draw(config, 20);
    assert.equal(new Set(drawn).size, 20);
  });

  test('a grammar may be switched on between two draws, and ends with an end token', async () => {
    await withContext(async (context) => {
      const sampler = model.createSampler();
      sampler.applyConfig({ temperature: 0, seed: 1 });
      await lastLogits(model, context, words(3, 10));
      await context.sampleToken(9, sampler);
      const state = model.createGrammarState(model.createGrammar('root ::= "yes" | "no"'));
      sampler.applyConfig({ temperature: 0, seed: 1, grammarEvaluationState: state });
      const drawn: number[] = [];
      for (let i = 0; i < 4; i++) {
        drawn.push(await context.sampleToken(9, sampler));
        if (model.addon.isEogToken(drawn.at(-1) ?? -1)) break;
      }
      const text = model.addon.detokenize(Uint32Array.from(drawn.slice(0, -1)), false);
      assert.ok(['yes', 'no'].includes(text), text);
      assert.ok(model.addon.isEogToken(drawn.at(-1) ?? -1));
      sampler.dispose();
    });
  });

  test('a grammar goes on by tokens that come from elsewhere, and stays where it is at one that does not fit', () => {
    const state = model.createGrammarState(model.createGrammar('root ::= "<a" ">"'));
    const advance = (text: string) =>
      [...model.addon.tokenize(text, false)].map((token) => model.advanceGrammar(state, token));
    assert.deepEqual(advance('<a'), [true, true]);
    assert.deepEqual(advance('b<a'), [false, false, false]);
    assert.deepEqual(advance('>'), [true]);
    assert.deepEqual(advance('>'), [false]);
  });

  test('a text that is no grammar throws', () => {
    assert.throws(() => model.createGrammar('root ::= ('));
  });
});

describe('adapter', () => {
  test('an adapter changes its own context only, and one with a zero B changes nothing', async () => {
    const contexts = await Promise.all([1, 2, 3].map(() => model.createContext(shape)));
    const [base, tuned, same] = contexts;
    assert.ok(base !== undefined && tuned !== undefined && same !== undefined);
    tuned.setLoras([await model.loadAdapter(file('a.gguf'))], [1]);
    same.setLoras([await model.loadAdapter(file('zero.gguf'))], [1]);
    const expected = await lastLogits(model, base, words(1, 20));
    assert.ok(cosine(expected, await lastLogits(model, tuned, words(1, 20))) < 0.99);
    assert.ok(cosine(expected, await lastLogits(model, same, words(1, 20))) > 0.99999);
    assert.deepEqual(await lastLogits(model, base, words(1, 20)), expected);
    for (const context of contexts) await context.dispose();
  });

  test('a file that is no adapter of this model is refused', async () => {
    await assert.rejects(model.loadAdapter(file('text.gguf')), /LoRA adapter/);
  });
});

describe('embedding', () => {
  test('a text fed in parts has the vector of the whole, and does not depend on the one before it', async () => {
    const context = await embedder.createContext({ ...shape, sequences: 1, embeddings: true });
    const embed = async (tokens: Uint32Array, part: number) => {
      context.disposeSequence(0);
      for (let from = 0; from < tokens.length; from += part) {
        const chunk = tokens.subarray(from, from + part);
        context.initBatch(chunk.length);
        context.addToBatch(
          0,
          from,
          chunk,
          Uint32Array.from(chunk, (_, i) => i),
        );
        await context.decodeBatch();
      }
      return Float32Array.from(context.getEmbedding(tokens.length));
    };
    const whole = await embed(words(1, 50), 64);
    await embed(words(99, 20), 64);
    assert.ok(cosine(whole, await embed(words(1, 50), 16)) > 0.99999);
    assert.deepEqual(await embed(words(1, 50), 64), whole);
    await context.dispose();
  });
});
