import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wireId } from './collected-answer.ts';

test('wire ids are unique and of fixed shape', () => {
  const ids = Array.from({ length: 1000 }, () => wireId('chatcmpl-'));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^chatcmpl-[A-Za-z0-9]{24}$/);
});
