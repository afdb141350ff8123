import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTextStream } from './text-stream.ts';

test('the first token is timed also where the caller has left, and nothing is sent', () => {
  let timed = 0;
  const call = {
    caller: { signal: AbortSignal.abort() },
    firstToken: () => {
      timed += 1;
    },
  } as unknown as Parameters<typeof createTextStream>[0];
  const nothing = () => assert.fail('nothing is written');
  const stream = createTextStream(call, { begin: nothing, delta: nothing, end: nothing, fail: nothing });
  stream.delta({ type: 'content', text: 'Hello' });
  assert.equal(timed, 1);
  assert.equal(stream.fail(new Error('the engine has stopped')), null);
});
