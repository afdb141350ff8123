import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import type { CallLimits, LimitedSubject } from './call-limits.ts';
import { enterLimitedCalls, setAsideLimitedCalls } from './limiter.store.ts';

await awayFromMidnight();

const database = fileDatabase();

const subject = (scope: 'key' | 'account', limits: Partial<CallLimits>): LimitedSubject => ({
  scope,
  id: newId(scope === 'key' ? 'key' : 'acc'),
  limits: { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null, ...limits },
});

/** What each limit says to one call: the one that refuses it, or null. */
async function enter(subjects: LimitedSubject[], micro: bigint, requestId = newId('req')) {
  const calls = [{ requestId, micro, subjects }];
  const [used] = await enterLimitedCalls(database(), { calls, instanceId: 'ins_one', at: null });
  return subjects.map(({ id }) => used?.get(id)?.refusedBy);
}

test('a call that is set aside frees what it has reserved itself, at its key and its account, and nothing of other calls', async () => {
  const key = subject('key', { concurrentRequests: 2 });
  const account = subject('account', { creditsPerDayMicro: 1_000n });
  const [aside, running] = [newId('req'), newId('req')];
  assert.deepEqual(await enter([key, account], 600n, aside), [null, null]);
  assert.deepEqual(await enter([key, account], 400n, running), [null, null]);
  await setAsideLimitedCalls(database(), [aside]);

  assert.deepEqual(await enter([account], 601n), ['credits_per_day']);
  assert.deepEqual(await enter([key, account], 600n), [null, null]);
  assert.deepEqual(await enter([key], 0n), ['concurrent_requests']);
});
