import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Fault } from '#kernel';
import { createRepeatGuard } from './repeat-guard.ts';

const call = (accountId: string, body: string) => ({ accountId, fingerprint: () => Buffer.from(body) });

function create() {
  const time = { ms: 0 };
  return { time, guard: createRepeatGuard({ nowMs: () => 0, monotonicMs: () => time.ms }) };
}

test('a call like one of unknown outcome is refused for 130 s, with the id of that one', () => {
  const { time, guard } = create();
  guard.note(call('acc_1', 'a'), 'req_1');
  time.ms = 129_999;
  assert.throws(
    () => guard.check(call('acc_1', 'a')),
    (error) => {
      const { fault, options, message } = error as Fault;
      assert.equal(fault, 'ambiguous_transport');
      assert.deepEqual([options.details, options.headers], [{ request_id: 'req_1' }, { 'x-fnf-request-id': 'req_1' }]);
      assert.equal(options.retryAfterSeconds, undefined);
      return message.includes('req_1');
    },
  );
  guard.check(call('acc_2', 'a'));
  guard.check(call('acc_1', 'b'));
  time.ms = 130_000;
  guard.check(call('acc_1', 'a'));
});

test('a second unknown outcome begins the time anew', () => {
  const { time, guard } = create();
  guard.note(call('acc_1', 'a'), 'req_1');
  time.ms = 100_000;
  guard.note(call('acc_1', 'a'), 'req_2');
  time.ms = 200_000;
  assert.throws(() => guard.check(call('acc_1', 'a')), /req_2/);
});

test('without an unknown outcome it asks for nothing', () => {
  const { time, guard } = create();
  assert.equal(guard.unknown.size, 0);
  guard.note(call('acc_1', 'a'), 'req_1');
  assert.equal(guard.unknown.size, 1);
  time.ms = 130_000;
  guard.check(call('acc_1', 'b'));
  assert.equal(guard.unknown.size, 0);
});

test('it remembers ten thousand calls and forgets the oldest first', () => {
  const { guard } = create();
  for (let n = 0; n <= 10_000; n++) guard.note(call('acc_1', `${n}`), `req_${n}`);
  guard.check(call('acc_1', '0'));
  assert.throws(() => guard.check(call('acc_1', '1')), /req_1,/);
});
