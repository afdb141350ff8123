import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openModels } from '../models-service.ts';
import { withRoutes } from './serving-routes.ts';

test('a model of the library is a base model while a route serves it', (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-library-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const cataloguePath = join(import.meta.dirname, '../../../models/catalogue.yaml');
  const served = new Set(['qwen3-14b', 'qwen3-0.6b']);
  const plain = openModels({ cataloguePath, dataDir });
  const models = withRoutes(plain, { isServed: (id) => served.has(id), hasVision: () => false });
  const isListed = (id: string) => models.baseModels().some((model) => model.id === id);
  assert.deepEqual([models.find('qwen3-14b')?.isRemote, isListed('qwen3-14b')], [true, true]);
  assert.equal(models.find('qwen3-0.6b')?.isRemote, true);
  assert.deepEqual([models.find('qwen3-8b'), isListed('qwen3-8b')], [undefined, false]);
  assert.equal(models.findKnown('qwen3-8b')?.installed, null);
  assert.ok(models.library().some(({ id }) => id === 'qwen3-8b'));
  assert.ok(!models.library().some(({ id }) => id === 'qwen3-14b'));
  served.clear();
  assert.deepEqual([models.find('qwen3-14b'), isListed('qwen3-14b')], [undefined, false]);
});
