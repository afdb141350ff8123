import assert from 'node:assert/strict';
import { test } from 'node:test';
import { translationOf } from './localize.ts';

const catalogue = {
  'A name.': '名称。',
  'At most %{count} rows.': '最多 %{count} 行。',
  '%{rule} It may be null.': '%{rule}可为 null。',
};

test('a text is found by its English words', () => {
  assert.equal(translationOf('A name.', catalogue)?.text, '名称。');
  assert.equal(translationOf('Another name.', catalogue), null);
});

test('what the code fills in stands in the translation too, itself translated where it can be', () => {
  assert.equal(translationOf('At most 20 rows.', catalogue)?.text, '最多 20 行。');
  assert.deepEqual(translationOf('A name. It may be null.', catalogue), {
    text: '名称。可为 null。',
    keys: ['%{rule} It may be null.', 'A name.'],
  });
});
