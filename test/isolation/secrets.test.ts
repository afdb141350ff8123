import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#kernel';
import { Secrets } from './secrets.ts';

test('a secret is read wherever a text holds it, and only then', () => {
  const [first, second, other] = [newId('key'), newId('req'), newId('key')];
  const secrets = new Secrets(['heliotrope', first]);
  secrets.add(second);
  secrets.add('4711');
  const texts = [
    '',
    `{"id":"${first}"}`,
    `abc${first}${second}DEF_xheliotropes`,
    `${other} ${first.slice(0, -1)} ${first.slice(1)} ${first.toUpperCase()} ${first.toLowerCase()}`,
    `x_${first}`,
    `${first}\n${first}, 4 7 11`,
    'number 647110',
  ];
  for (const text of texts) {
    const expected = ['heliotrope', '4711', first, second].filter((secret) => text.includes(secret));
    assert.deepEqual(secrets.readIn(text).toSorted(), expected.toSorted(), text);
  }
});
