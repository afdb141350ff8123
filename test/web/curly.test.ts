import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curly } from '../../web/src/rooms/activity/curly.ts';

test('names in a sentence of the feed are in curly quotes, and keep the quotes of their own', () => {
  assert.equal(curly('The API key "CI" was created.', 'CI'), 'The API key “CI” was created.');
  assert.equal(curly('The project "6" nails" was changed.', '6" nails'), 'The project “6" nails” was changed.');
  assert.equal(
    curly('The model "bot" was put behind "nightly".', 'nightly'),
    'The model “bot” was put behind “nightly”.',
  );
  assert.equal(curly('Credits were granted.', 'ada'), 'Credits were granted.');
});
