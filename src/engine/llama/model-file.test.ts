import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { smallShape, writeSplitModel } from '#test/random-model.ts';
import { fileBytes, sizeOfModel, stampOf } from './model-file.ts';

test('a model in several files has the size of all, and is another one when one of them changes', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fanfold-parts-'));
  try {
    const random = { shape: smallShape, seed: 1, kind: 'text', spread: 0.2, ends: false } as const;
    const paths = writeSplitModel(folder, { ...random, count: 3 });
    const [first = '', , third = ''] = paths;
    const bytes = paths.reduce((sum, path) => sum + statSync(path).size, 0);
    assert.deepEqual([await sizeOfModel(first), fileBytes(first)], [bytes, bytes]);
    const stamp = await stampOf(first);
    assert.equal(await stampOf(first), stamp);
    appendFileSync(third, 'x');
    assert.notEqual(await stampOf(first), stamp);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
