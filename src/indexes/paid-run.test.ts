import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OpenCall } from '#calls';
import type { Sql } from '#db';
import { Fault, fault } from '#kernel';
import { type PaidRunDeps, type PaidRunRequest, performPaid } from './paid-run.ts';

type Finish = Parameters<typeof performPaid>[2]['finish'];

/** A call of a caller without limits; `closed` counts how often it was closed. */
function paidCall(finish: Finish, { hasKey = false } = {}) {
  let closed = 0;
  const call = {
    heldMicro: 0n,
    begin: async () => ({ state: 'begun', headers: {} }),
    endWithin: async () => 0n,
    close: async () => {
      closed += 1;
    },
  } as unknown as OpenCall;
  // as: what a call asks of these.
  const deps = {
    sql: { query: async () => [] },
    calls: { open: () => call },
    pace: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1, measured: true }),
  } as unknown as PaidRunDeps;
  const request = {
    principal: { keyId: null, accountId: 'acc_1' },
    requestId: 'req_1',
    operation: 'dataset_indexes.search',
    promptTokensAtMost: 8,
    hasKey,
    index: { baseModelId: 'embed', queryRateMicroPerMinute: 0n },
    signal: new AbortController().signal,
    reply: { headers: () => {} },
  } as unknown as PaidRunRequest;
  const steps = { work: async () => ({ spent: { activeMs: 1, promptTokens: 1 } }), finish };
  return { run: () => performPaid(deps, request, steps), closed: () => closed };
}

test('a call whose charge may have been committed is told that nobody knows, and one that was not charged that it failed', async () => {
  const tx = {} as Sql;
  const away = () => fault('service_unavailable', { retryAfterSeconds: 1 });
  const commitLost: Finish = async (_, pay) => {
    await pay(tx);
    throw away();
  };
  const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;
  const unknown = paidCall(commitLost);
  await assert.rejects(unknown.run(), isFault('ambiguous_transport'));
  assert.equal(unknown.closed(), 1);
  const failed = paidCall(() => Promise.reject(away()));
  await assert.rejects(failed.run(), isFault('service_unavailable'));
  assert.equal(failed.closed(), 1);
});
