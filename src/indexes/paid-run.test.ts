import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { Sql } from '#db';
import { Fault, fault } from '#kernel';
import { type PaidCall, type PaidDeps, performPaid } from './paid-run.ts';

type Finish = Parameters<typeof performPaid>[2]['finish'];
type Setting = { hasLeft?: boolean; isKept?: boolean; finish?: Finish };

/** A limited call, of a caller who is there or has left; tells whether it still counts as one in flight. */
function limitedCall({ hasLeft = false, isKept = true, finish = async () => 'found' }: Setting) {
  const raw = Object.assign(new EventEmitter(), { destroyed: hasLeft });
  let inFlight = 0;
  let aside = 0;
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
        const setAside = async () => {
          aside += 1;
        };
        return { headers: {}, leave, setAside };
      },
    },
    pace: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1, measured: true }),
  } as unknown as PaidDeps;
  const call = {
    principal: { keyId: null, accountId: 'acc_1' },
    requestId: 'req_1',
    operation: 'dataset_indexes.search',
    promptTokensAtMost: 8,
    isKept,
    index: { baseModelId: 'embed', queryRateMicroPerMinute: 0n },
    signal: new AbortController().signal,
    reply: { raw, headers: () => {} },
  } as unknown as PaidCall;
  const steps = { work: async () => ({ spent: { activeMs: 1, promptTokens: 1 } }), finish };
  return { run: () => performPaid(deps, call, steps), raw, inFlight: () => inFlight, aside: () => aside };
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

test('a call whose charge may have been committed is told that nobody knows, and one that was not charged that it failed', async () => {
  // as: what a charge asks of it.
  const tx = { query: async () => [{ charged: 0n }] } as unknown as Sql;
  const away = () => fault('service_unavailable', { retryAfterSeconds: 1 });
  const commitLost: Finish = async (_, pay) => {
    await pay(tx);
    throw away();
  };
  const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;
  const unknown = limitedCall({ isKept: false, finish: commitLost });
  await assert.rejects(unknown.run(), isFault('ambiguous_transport'));
  assert.deepEqual([unknown.inFlight(), unknown.aside()], [1, 1], 'what it costs still counts');
  const failed = limitedCall({ isKept: false, finish: () => Promise.reject(away()) });
  await assert.rejects(failed.run(), isFault('service_unavailable'));
  assert.deepEqual([failed.inFlight(), failed.aside()], [0, 0]);
});
