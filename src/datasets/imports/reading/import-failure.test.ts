import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { failureCodes } from './import-failure.ts';

const guide = readFileSync(new URL('../../../../docs/guides/importing.md', import.meta.url), 'utf8');

test('the guide of imports names every code that an import can fail with, and no other', () => {
  const [, rows = ''] = guide.split(/^## When an import fails$/m);
  const [table = ''] = rows.split(/^## /m);
  const firstCells = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell).join();
  const named = [...firstCells.matchAll(/`(\w+)`/g)].map(([, code = '']) => code);
  assert.deepEqual(named.sort(), [...failureCodes].sort());
});
