import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Clock, Fault, fault, systemClock } from '#kernel';
import { type Call, type CallDeps, performCall } from './call.ts';
import { createDoubtfulPayers } from './doubtful-payers.ts';

/** A model and an account of so many credits; tells what was asked of both, in order. */
function till({ credits = 0n, hasRoom = true } = {}) {
  const asked: string[] = [];
  const time = { ms: 0 };
  const clock: Clock = { ...systemClock, monotonicMs: () => time.ms };
  const account = { credits };
  // as: what a call asks of these.
  const deps = {
    engine: {
      pace: () => ({ prefillMsPerToken: 1, decodeMsPerToken: 1 }),
      release: () => asked.push('released'),
    },
    billing: {
      holdNow: () => false,
      async hold() {
        asked.push('hold');
        return account.credits > 0n ? 'held' : { refused: { availableMicro: 0n } };
      },
      settle: async () => {},
    },
    doubtfulPayers: createDoubtfulPayers(clock),
  } as unknown as CallDeps;
  const call = {
    requestId: 'req_1',
    admitted: { accountId: 'acc_1', limited: null, key: null, project: { id: 'prj_1' } },
    model: { rateMicroPerMinute: 30_000n, baseModel: { id: 'chat' } },
    ...{ promptTokensAtMost: 8, maxTokens: 8, confirmed: null },
    signal: new AbortController().signal,
    track: { running: () => {} },
  } as unknown as Call;
  const run = () =>
    performCall(deps, call, {
      async prepare() {
        asked.push('place');
        if (!hasRoom) throw fault('capacity_unavailable', { retryAfterSeconds: 1 });
        return { handle: 'p1' };
      },
      run: async () => ({
        result: 'answer',
        run: { activeMs: 1, promptTokens: 1, completionTokens: 1, cancelled: false },
      }),
    });
  const taken = () => asked.splice(0);
  return { run, taken, time, account };
}

const tooPoor = (error: unknown) => error instanceof Fault && error.fault === 'insufficient_credits';

test('who cannot pay is told so also while the model has no room: to come again would not help', async () => {
  await assert.rejects(till({ hasRoom: false }).run(), tooPoor);
});

test('an account that could not pay takes no place with the model, for as long as it cannot', async () => {
  const { run, taken, time, account } = till();
  await assert.rejects(run(), tooPoor);
  assert.deepEqual(taken(), ['place', 'hold', 'released'], 'usually both are asked for at once');
  for (let again = 0; again < 3; again++) {
    time.ms += 9_000;
    await assert.rejects(run(), tooPoor);
    assert.deepEqual(taken(), ['hold']);
  }
  account.credits = 1n;
  assert.equal(await run(), 'answer');
  assert.deepEqual(taken(), ['hold', 'place']);
  time.ms += 10_000;
  assert.equal(await run(), 'answer');
  assert.deepEqual(taken(), ['place', 'hold']);
});
