import assert from 'node:assert/strict';
import { test } from 'node:test';
import { textIn } from '../../web/src/routing/search-text.ts';

test('a word of the address is read as it was written, within its length, and nothing else is a word', () => {
  assert.equal(textIn('lamp'), 'lamp');
  assert.equal(textIn(404), '404');
  assert.equal(textIn('lamp', 3), 'lam');
  assert.deepEqual(
    ['', true, null, undefined, ['lamp'], {}].map((value) => textIn(value)),
    Array(6).fill(undefined),
  );
});
