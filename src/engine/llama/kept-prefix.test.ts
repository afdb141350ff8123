import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { ChildDriver, finishedOf, smallConfig, userPrompt } from './child-driver.fixture.ts';
import { cutBack } from './kept-prefix.ts';

for (const [name, window] of [
  ['full attention', undefined],
  ['a sliding window', 64],
] as const)
  test(`an answer with a cached prefix is the answer without: ${name}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'fanfold-window-'));
    const ggufPath = join(folder, 'model.gguf');
    const shape = { ...smallShape, layers: 6, ...(window === undefined ? {} : { window }) };
    writeRandomModel(ggufPath, { shape, seed: 3, kind: 'text', spread: 0.2, ends: false });
    const child = await ChildDriver.start({ ...smallConfig, maxContextTokens: 4096, ggufPath });
    try {
      const long = 'abcdefghij'.repeat(250);
      await child.write(userPrompt(long), { maxTokens: 4 }, 'warm');
      for (const [kept, ending] of [
        [1_200, ' another ending'],
        [2_300, ' one more'],
        [2_490, ' close to the end'],
        [40, ' near the beginning'],
      ] as const) {
        const prompt = userPrompt(long.slice(0, kept) + ending);
        const warm = await child.write(prompt, { maxTokens: 12 }, 'warm');
        const cold = await child.write(prompt, { maxTokens: 12 }, `cold ${kept}`);
        assert.equal(finishedOf(cold).usage.cachedTokens, 0);
        assert.equal(warm.content, cold.content, `${kept} ${finishedOf(warm).usage.cachedTokens}`);
        if (window === undefined && kept > 64) assert.ok(finishedOf(warm).usage.cachedTokens > 1_000, String(kept));
      }
      // The same conversation goes on: what its window needs is there.
      const on = userPrompt(`${long} and so on`);
      await child.write(userPrompt(long), { maxTokens: 1 }, 'next');
      const next = await child.write(on, { maxTokens: 12 }, 'next');
      assert.ok(finishedOf(next).usage.cachedTokens > 2_000);
      assert.equal(next.content, (await child.write(on, { maxTokens: 12 }, 'fresh')).content);
    } finally {
      await child.stop();
      rmSync(folder, { recursive: true });
    }
  });

test('cells in front of what is kept must be there, as far as the layers look back', () => {
  const cut = (first: number, window: number | null, isRecurrent = false, removes = true) =>
    cutBack(
      { removeTokenCellsFromSequence: () => removes, getSequenceKvCacheMinPosition: () => first },
      { sequence: 0, keep: 1_000 },
      { window, isRecurrent },
    );
  assert.deepEqual([cut(0, null), cut(1, null), cut(-1, null)], [true, false, false]);
  assert.deepEqual([cut(488, 512), cut(489, 512), cut(-1, 512), cut(0, 4_096)], [true, false, false, true]);
  assert.deepEqual([cut(999, null, true), cut(999, null, true, false)], [true, false]);
});
