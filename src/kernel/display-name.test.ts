import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDisplayName } from './display-name.ts';
import { Fault } from './faults.ts';

test('names of 1 to 80 characters in any script are kept as they are', () => {
  for (const name of ['a', 'API key', ' spaced ', 'клюc', '鍵', '🔑'.repeat(80), 'e\u0301', '\u202eabc'])
    assert.equal(checkDisplayName(name, 'name'), name);
});

test('names that are empty, blank, too long, broken over lines or not storable are refused', () => {
  for (const name of ['', '   ', '\u3000', 'a'.repeat(81), 'a\nb', 'a\r\nb', 'a\0', '\u0007', '\ud800', 'a\u0085b'])
    assert.throws(
      () => checkDisplayName(name, 'name'),
      (error) => error instanceof Fault && error.fault === 'invalid_request' && error.options.param === 'name',
    );
});
