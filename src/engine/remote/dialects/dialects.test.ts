import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSources } from '#test/source-tree.ts';
import { dialectNames } from './index.ts';

test('no other file of the program branches on the name of a dialect', () => {
  const branch = new RegExp(`[=!]== '(${dialectNames.join('|')})'|case '(${dialectNames.join('|')})':`);
  const offences = readSources(['src']).filter(
    ({ path, isTest, text }) => !isTest && !path.startsWith('src/engine/remote/dialects/') && branch.test(text),
  );
  assert.deepEqual(
    offences.map(({ path }) => path),
    [],
  );
});
