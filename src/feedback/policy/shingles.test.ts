import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fc } from '#test/properties.ts';
import { shinglesOf, similarity } from './shingles.ts';

const compare = (a: string, b: string) => similarity(shinglesOf(a), shinglesOf(b));

const passage =
  'To reset the lamp, hold the button on its back for ten seconds until the light turns blue, then let go and wait for a minute.';

test('texts that differ in case, width, punctuation and spacing only are the same', () => {
  assert.equal(compare(passage, `  ${passage.toUpperCase().replaceAll(',', ' --')}\n`), 1);
  assert.equal(compare('ＡＢＣ ｄｅｆ １２３', 'abc def 123'), 1);
  assert.equal(compare('怎么重置灯？', '怎么重置灯'), 1);
});

test('one number in a passage makes another passage, one in a page does not', () => {
  assert.ok(compare(passage, passage.replace('ten', 'twenty')) < 0.9);
  const page = Array.from({ length: 30 }, (_, at) => `${passage} ${at}`).join(' ');
  assert.ok(compare(page, page.replace('ten', 'twenty')) >= 0.9);
});

test('text that says something else shares nothing', () => {
  assert.equal(compare(passage, 'Our shop is open on weekdays from nine to five and closed on Sundays.'), 0);
  assert.equal(compare('怎么重置灯', '商店几点开门'), 0);
});

test('texts of one or two words, and without any, are alike only when they are the same', () => {
  assert.equal(compare('Lamp', 'lamp!'), 1);
  assert.equal(compare('lamp', 'lamps'), 0);
  assert.equal(compare('!!', '??'), 0);
  assert.equal(compare('!!', ' !! '), 1);
  assert.equal(compare('1', '!'), 0);
});

test('similarity is 1 with itself, symmetric, and between 0 and 1', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', 'd', '灯', ' ', '.')).map((parts) => parts.join(' '));
  fc.assert(
    fc.property(text, text, (a, b) => {
      const value = compare(a, b);
      assert.equal(value, compare(b, a));
      assert.ok(value >= 0 && value <= 1);
      assert.equal(compare(a, a), 1);
    }),
  );
});

test('texts of a quarter of a million characters are compared in a fraction of a second of work', () => {
  const text = Array.from({ length: 40_000 }, (_, at) => `w${at}`).join(' ');
  const before = process.cpuUsage();
  assert.ok(compare(text, `${text} more`) > 0.99);
  assert.ok(process.cpuUsage(before).user < 1_000_000);
});
