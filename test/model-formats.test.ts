import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withFormatTable } from '#test/model-formats.ts';

test('the guide lists the call formats that the tests have (npm run model-formats writes it)', () => {
  const guide = readFileSync(new URL('../docs/guides/model-formats.md', import.meta.url), 'utf8');
  assert.equal(guide, withFormatTable(guide));
});
