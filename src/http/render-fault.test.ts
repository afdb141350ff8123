import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf } from './render-fault.ts';

test('a full disk is trouble of now, which the operator reads of, and no defect', () => {
  const cause = Object.assign(new Error("ENOSPC: no space left on device, write '/data/secret'"), { code: 'ENOSPC' });
  const { row, message, options } = faultOf(cause);
  assert.deepEqual([row.status, row.code], [503, 'service_unavailable']);
  assert.doesNotMatch(message, /data/);
  assert.equal(options.cause, cause);
});
