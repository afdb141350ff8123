import assert from 'node:assert/strict';
import { test } from 'node:test';
import { prefersType } from './accept.ts';

test('another type than JSON is sent to who names it and does not like JSON better', () => {
  const prefers = (accept?: string) =>
    prefersType({ headers: accept === undefined ? {} : { accept } }, 'application/x-ndjson');
  for (const accept of [
    'application/x-ndjson',
    'Application/X-NDJSON; charset=utf-8',
    'application/x-ndjson, application/json',
    'application/json;q=0.5, application/x-ndjson',
    'text/html, application/x-ndjson;q=0.9, */*;q=0.8',
    'application/x-ndjson; q=0.001',
  ])
    assert.equal(prefers(accept), true, accept);
  for (const accept of [
    undefined,
    '',
    '*/*',
    'application/*',
    'application/json',
    'application/x-ndjson;q=0',
    'application/x-ndjson; q=0.000',
    'application/json, application/x-ndjson;q=0.5',
    '*/*, application/x-ndjson;q=0.9',
    'application/x-ndjson-seq',
  ])
    assert.equal(prefers(accept), false, accept);
});
