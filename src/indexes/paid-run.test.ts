import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { type PaidCall, type PaidDeps, performPaid } from './paid-run.ts';

/** A limited call whose answer is kept, of a caller who is there or has left; tells whether it still counts as one in flight. */
function limitedCall({ hasLeft }: { hasLeft: boolean }) {
  const raw = Object.assign(new EventEmitter(), { destroyed: hasLeft });
  let inFlight = 0;
  // as: what a call asks of these.
  const deps = {
    sql: {
      query: async () => [{ limits: { requestsPerMinute: null, concurrentRequests: 1, creditsPerDayMicro: null } }],
    },
    billing: { holdForWork: async () => 'held', endWork: async () => {}, leaveWork: () => {} },
    limiter: {
      enter: async () => {
        inFlight += 1;
        const leave = async () => {
          inFlight -= 1;
        };
        return { headers: {}, leave };
      },
    },
    pace: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1, measured: true }),
  } as unknown as PaidDeps;
  const call = {
    principal: { keyId: null, accountId: 'acc_1' },
    ...{ requestId: 'req_1', operation: 'dataset_indexes.search', promptTokensAtMost: 8, isKept: true },
    index: { baseModelId: 'embed', queryRateMicroPerMinute: 0n },
    signal: new AbortController().signal,
    reply: { raw, headers: () => {} },
  } as unknown as PaidCall;
  const steps = { work: async () => ({ spent: { activeMs: 1, promptTokens: 1 } }), finish: async () => 'found' };
  return { run: () => performPaid(deps, call, steps), raw, inFlight: () => inFlight };
}

test('a limited call whose answer is kept is in flight until the answer is sent, and no longer where nobody is there to take it', async () => {
  const there = limitedCall({ hasLeft: false });
  assert.equal(await there.run(), 'found');
  assert.equal(there.inFlight(), 1);
  there.raw.emit('close');
  assert.equal(there.inFlight(), 0);
  const gone = limitedCall({ hasLeft: true });
  assert.equal(await gone.run(), 'found');
  assert.equal(gone.inFlight(), 0);
});
