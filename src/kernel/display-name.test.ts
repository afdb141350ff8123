import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDisplayName, displayNameFrom } from './display-name.ts';
import { Fault } from './faults.ts';

test('names of 1 to 80 characters in any script are kept as they are', () => {
  for (const name of ['a', 'API key', ' spaced ', 'клюc', '鍵', '🔑'.repeat(80), 'e\u0301', '👩\u200d🔬', '❤\ufe0f'])
    assert.equal(checkDisplayName(name, 'name'), name);
});

test('names that are empty, blank, invisible, too long, broken over lines or not storable are refused', () => {
  const unseen = ['\u200b', '\u2060', '\u00ad', '\ufe0f', ' \u200d\u3164 ', '\u2800', '\u{e0041}', '\ufeff'];
  const broken = ['a\u2028b', 'a\u2029b'];
  const turned = ['\u202eabc', 'a\u202a', 'a\u2066b', 'a\u2069', '\u200fa', 'a\u061cb'];
  for (const name of [
    ...unseen,
    ...broken,
    ...turned,
    '',
    '   ',
    '\u3000',
    'a'.repeat(81),
    'a\nb',
    'a\r\nb',
    'a\0',
    '\u0007',
    '\ud800',
    'a\u0085b',
  ])
    assert.throws(
      () => checkDisplayName(name, 'name'),
      (error) => error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'name',
    );
});

test('a name from elsewhere is taken as far as it fits on one line, and not at all when nothing would be seen', () => {
  assert.equal(displayNameFrom(' Ada\u2028Lovelace\n'), 'Ada Lovelace');
  assert.equal(displayNameFrom('a'.repeat(100)), 'a'.repeat(80));
  for (const text of ['', '\u200b\u2060', '\n', '\ud800a']) assert.equal(displayNameFrom(text), null);
});
