import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from './render-fault.ts';

test('a full disk is reported to the operator and is no internal error', () => {
  const cause = Object.assign(new Error("ENOSPC: no space left on device, write '/data/secret'"), { code: 'ENOSPC' });
  const { row, message, options } = faultOf(cause);
  assert.deepEqual([row.status, row.code], [503, 'service_unavailable']);
  assert.doesNotMatch(message, /data/);
  assert.equal(options.cause, cause);
});
