import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ModelShape, smallShape, writeRandomModel } from '#test/random-model.ts';
import type { ChatPrompt, KvType } from '../port.ts';
import type { NativeCheckpoint, NativeContext } from './addon.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';
import { cutBack, PrefixCache } from './prefix-cache.ts';

/** Attention to quantised cells takes long, and all of its layers are alike. */
const quantised = { layers: 2 };
const shapes: [name: string, more: Partial<ModelShape>, kv?: KvType][] = [
  ['full attention', {}],
  ['a sliding window', { window: 64 }],
  ['recurrent layers', { convolution: 3 }],
  ['recurrent layers and a sliding window', { convolution: 3, window: 64 }],
  ['full attention in 8 bits', quantised, 'q8_0'],
  ['full attention in 4 bits', quantised, 'q4_0'],
  ['a sliding window in 8 bits', { window: 64 }, 'q8_0'],
  ['recurrent layers and a sliding window in 8 bits', { convolution: 3, window: 64 }, 'q8_0'],
];
const long = 'abcdefghij'.repeat(250);

/** A conversation so far, and what is said now. */
function conversation(...texts: string[]): ChatPrompt {
  const messages = texts.map((content, i): ChatPrompt['messages'][number] =>
    i % 2 === 0 ? { role: 'user', content } : { role: 'assistant', content, reasoning: null, toolCalls: [] },
  );
  return { ...userPrompt(''), messages };
}

for (const [name, more, kv = 'f16'] of shapes) {
  const canBeCut = more.window === undefined && more.convolution === undefined;
  // The cells of a window that was restored stand in another order: sums are rounded in another way, and an answer may part from the other in the end.
  const sampling = { maxTokens: more.window === undefined ? 12 : 2 };

  async function withChild(work: (child: ChildDriver) => Promise<void>): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'fanfold-prefix-'));
    const ggufPath = join(folder, 'model.gguf');
    const shape = { ...smallShape, layers: 6, ...more };
    writeRandomModel(ggufPath, { shape, seed: 3, kind: 'text', spread: 0.2, ends: false });
    const child = await ChildDriver.start({ ...smallConfig, maxContextTokens: 4096, ggufPath, kv });
    try {
      await work(child);
    } finally {
      await child.stop();
      rmSync(folder, { recursive: true });
    }
  }

  /** Writes in a scope, compares with what is written where nothing is kept, and returns how many tokens were. */
  let cold = 0;
  async function keptIn(child: ChildDriver, prompt: ChatPrompt, scope: string): Promise<number> {
    cold += 1;
    const warm = await child.write(prompt, sampling, scope);
    const other = await child.write(prompt, sampling, `cold ${cold}`);
    assert.equal(finishedOf(other).usage.cachedTokens, 0);
    const { cachedTokens } = finishedOf(warm).usage;
    assert.equal(warm.content, other.content, `${cachedTokens} tokens were kept`);
    return cachedTokens;
  }

  test(`an answer with a cached prefix is the answer without: ${name}`, () =>
    withChild(async (child) => {
      await child.write(userPrompt(long), { maxTokens: 4 }, 'warm');
      for (const [kept, ending] of [
        [1_200, ' another ending'],
        [2_300, ' one more'],
        [2_490, ' close to the end'],
        [40, ' near the beginning'],
      ] as const) {
        const cachedTokens = await keptIn(child, userPrompt(long.slice(0, kept) + ending), 'warm');
        if (canBeCut && kept > 64) assert.ok(cachedTokens > 1_000, String(kept));
      }
    }));

  test(`a conversation goes on from an earlier prompt, also where a turn is written anew: ${name}`, () =>
    withChild(async (child) => {
      // So long an answer that the windows of the prompt are gone.
      const first = await child.write(conversation(long), { maxTokens: 400 }, 'a');
      const answer = first.content.slice(0, 30);
      assert.ok((await keptIn(child, conversation(long, answer, 'and then'), 'a')) > 2_500);
      assert.ok((await keptIn(child, conversation(long, answer, 'or rather this'), 'a')) > 2_500);
      assert.ok((await keptIn(child, conversation(long, answer, 'or rather this', 'b'.repeat(80), 'c'), 'a')) > 2_540);
      assert.ok((await keptIn(child, conversation(long, 'some other answer', 'and then'), 'a')) > 2_500);
      assert.ok((await keptIn(child, conversation(long), 'a')) > 2_500);
    }));

  test(`a conversation goes on in another sequence: ${name}`, () =>
    withChild(async (child) => {
      const first = await child.write(conversation(long), { maxTokens: 400 }, 'a');
      await child.write(conversation('short'), { maxTokens: 4 }, 'b');
      const on = conversation(long, first.content.slice(0, 30), 'and then');
      const expected = await child.write(on, sampling, 'cold');
      // Whoever writes now has a sequence that is not beside the first one.
      const { handle } = await child.prepare(conversation('long'));
      const beside = child.generate(handle, { maxTokens: 300 }, 'c');
      const next = await child.write(on, sampling, 'a');
      await beside.done;
      assert.equal(next.content, expected.content);
      assert.ok(finishedOf(next).usage.cachedTokens > 2_500);
    }));
}

test('cells in front of what is kept must be there, as far as the layers look back', () => {
  const cut = (first: number, window: number | null, isRecurrent = false, removes = true) =>
    cutBack(
      { removeTokenCellsFromSequence: () => removes, getSequenceKvCacheMinPosition: () => first },
      { sequence: 0, keep: 1_000 },
      { window, isRecurrent },
    );
  assert.deepEqual([cut(0, null), cut(1, null), cut(-1, null)], [true, false, false]);
  assert.deepEqual([cut(488, 512), cut(489, 512), cut(-1, 512), cut(0, 4_096)], [true, false, false, true]);
  assert.deepEqual([cut(999, null, true), cut(999, null, true, false), cut(-1, null, true)], [true, false, false]);
});

test('a copy is made before a checkpoint is put into it or its source, and what is in doubt is emptied', async () => {
  type Options = {
    sequence?: number;
    copyFrom?: number | null;
    restores?: boolean;
    decodes?: boolean;
    isOver?: boolean;
  };
  const calls: string[] = [];
  let options: Options = {};
  const did = <Result>(call: string, result: Result) => {
    calls.push(call);
    return result;
  };
  const context = {
    copySequenceStateFromOtherSequence: async () => did('copy', 0),
    removeTokenCellsFromSequence: () => did('cut', true),
    getSequenceKvCacheMinPosition: () => 100,
    getSequenceKvCacheMaxPosition: () => 200,
    initBatch: () => {},
    addToBatch: () => {},
    decodeBatch: async () => {
      did('decode', null);
      if (options.decodes === false) throw new Error('failed');
    },
    restoreCheckpoint: async () => did('restore', options.restores !== false),
    disposeSequence: () => did('empty', undefined),
  } as unknown as NativeContext;
  const checkpoint: NativeCheckpoint = { init: async () => {}, dispose: () => {}, size: 1, maxPos: 79 };
  const facts = { attention: { window: 8, isRecurrent: false } };
  const prefixes = new PrefixCache({ facts, createCheckpoint: () => checkpoint }, { sequences: 2, ggufPath: 'none' });
  const prompt = { scope: 'a', tokens: new Uint32Array(100) };
  const item = { requestId: 1, sequence: 1, position: 0, tokens: new Uint32Array(80), sample: false, checkpoint: true };
  const stepDone = () => prefixes.stepDone(context, { items: [item], tokens: 80, promptTokens: 80 }, () => prompt);
  const ready = async (wanted: Options) => {
    calls.length = 0;
    options = wanted;
    const { sequence = 0, copyFrom = null, isOver = false } = wanted;
    const kept = await prefixes.makeReady(context, { sequence, keep: 90, copyFrom }, isOver ? undefined : prompt);
    return `${calls.join(' ')} ${kept}`;
  };
  await stepDone();
  assert.equal(await ready({ copyFrom: 1 }), 'copy cut decode restore 80');
  assert.equal(await ready({}), 'cut restore 80');
  assert.equal(await ready({ copyFrom: 1, restores: false }), 'copy cut decode restore empty 0');
  assert.equal(await ready({ copyFrom: 1, isOver: true }), 'copy cut empty 0');
  assert.equal(await ready({ sequence: 1 }), 'cut decode restore 80');
  assert.equal(await ready({ copyFrom: 1, decodes: false }), 'copy cut decode empty 0');
  await stepDone();
  assert.equal(await ready({ sequence: 1 }), 'cut restore 80');
});
