import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { createAddressLimit } from './address-limit.ts';

function limitAt(mostAddresses = 100) {
  const time = { ms: 0 };
  const clock = { nowMs: () => 0, monotonicMs: () => time.ms };
  const limit = createAddressLimit({ perMinute: 2, clock, mostAddresses });
  const isTaken = (address: string) => {
    try {
      limit.take(address);
      return true;
    } catch (error) {
      assert.ok(error instanceof Fault && error.fault === 'rate_limited');
      return false;
    }
  };
  return { time, limit, isTaken };
}

test('a window lasts a minute from its first request and says when it ends', () => {
  const { time, limit, isTaken } = limitAt();
  assert.equal(limit.take('192.0.2.1')['ratelimit-reset'], '60');
  time.ms = 40_000;
  assert.equal(limit.take('192.0.2.1')['ratelimit-reset'], '20');
  assert.equal(isTaken('192.0.2.1'), false);
  time.ms = 59_999;
  assert.equal(isTaken('192.0.2.1'), false);
  time.ms = 60_000;
  assert.equal(isTaken('192.0.2.1'), true);
});

test('every answer tells how many requests are left, and a refusal that none is, however often it is asked for', () => {
  const { time, limit } = limitAt();
  const left = () => limit.take('192.0.2.1')['ratelimit-remaining'];
  assert.deepEqual([left(), left()], ['1', '0']);
  time.ms = 30_000;
  for (let attempt = 0; attempt < 3; attempt++)
    assert.throws(left, (error) => {
      assert.ok(error instanceof Fault);
      const told = { 'ratelimit-limit': '2', 'ratelimit-remaining': '0', 'ratelimit-reset': '30' };
      assert.deepEqual(error.options.headers, told);
      return error.options.retryAfterSeconds === 30;
    });
});

test('of IPv6 the network of 64 bits counts, however it is written; IPv4 in IPv6 is IPv4', () => {
  const { isTaken } = limitAt();
  const network = ['2001:db8:0:1::1', '2001:db8::1:0:0:0:2', '2001:db8:0:1:ffff::'];
  assert.deepEqual(network.map(isTaken), [true, true, false]);
  assert.equal(isTaken('2001:db8:0:2::1'), true);
  assert.deepEqual(['::ffff:192.0.2.9', '192.0.2.9', '::ffff:192.0.2.9'].map(isTaken), [true, true, false]);
  assert.deepEqual(['::1', '::2', '0:0:0:0:5::'].map(isTaken), [true, true, false]);
});

test('memory is bounded: past the most addresses the oldest are forgotten', () => {
  const { isTaken } = limitAt(3);
  for (const address of ['a', 'b', 'c', 'c']) isTaken(address);
  assert.equal(isTaken('d'), true);
  assert.equal(isTaken('c'), false);
  assert.deepEqual(['a', 'a', 'a'].map(isTaken), [true, true, false]);
});
