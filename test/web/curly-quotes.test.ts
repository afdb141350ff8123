import assert from 'node:assert/strict';
import { test } from 'node:test';
import { curlyQuotes } from '../../web/src/rooms/activity/curly-quotes.ts';

test('names in a sentence of the feed are in curly quotes, and keep the quotes of their own', () => {
  assert.equal(curlyQuotes('The API key "CI" was created.', 'CI'), 'The API key “CI” was created.');
  assert.equal(curlyQuotes('The project "6" nails" was changed.', '6" nails'), 'The project “6" nails” was changed.');
  assert.equal(
    curlyQuotes('The model "bot" was put behind "nightly".', 'nightly'),
    'The model “bot” was put behind “nightly”.',
  );
  assert.equal(curlyQuotes('Credits were granted.', 'ada'), 'Credits were granted.');
});
