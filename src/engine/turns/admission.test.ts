import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { Admission, mostOf } from './admission.ts';

const pace = () => ({ prefillMsPerToken: 1, decodeMsPerToken: 9 });
const clock = { nowMs: () => 0, monotonicMs: () => 0 };

function refusalOf(admission: Admission, scope?: string): Fault | null {
  try {
    admission.enter(scope).free();
    return null;
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error;
  }
}

test('a model takes as many requests as it has sequences and queue places, and refuses the next one', () => {
  const admission = new Admission({ sequences: 2, maxQueue: 3, maxWaitMs: 1e9 }, clock, pace);
  const places = Array.from({ length: 5 }, () => admission.enter());
  assert.equal(refusalOf(admission)?.fault, 'capacity_unavailable');
  places[0]?.free();
  places[0]?.free();
  assert.equal(refusalOf(admission), null);
  assert.equal(admission.used, 4);
});

test('the load tells running calls from those that wait for a sequence', () => {
  const admission = new Admission({ sequences: 2, maxQueue: 3, maxWaitMs: 1e9 }, clock, pace);
  assert.deepEqual(admission.load(), { running: 0, waiting: 0 });
  const places = Array.from({ length: 5 }, () => admission.enter());
  assert.deepEqual(admission.load(), { running: 2, waiting: 3 });
  for (const place of places) place.free();
  assert.deepEqual(admission.load(), { running: 0, waiting: 0 });
});

test('Retry-After follows the measured work of the requests ahead', () => {
  const admission = new Admission({ sequences: 2, maxQueue: 8, maxWaitMs: 1e9 }, clock, pace);
  for (let i = 0; i < 10; i++) admission.enter();
  // Nothing measured: 128 tokens each way at the guessed pace, 9 requests ahead of the next one.
  assert.equal(refusalOf(admission)?.options.retryAfterSeconds, Math.ceil((9 * 1280) / 1000));
  for (let i = 0; i < 100; i++) admission.worked(500);
  assert.equal(refusalOf(admission)?.options.retryAfterSeconds, 5);
});

test('who would wait longer than the limit is refused although there are places', () => {
  const admission = new Admission({ sequences: 1, maxQueue: 100, maxWaitMs: 2_000 }, clock, pace);
  for (let i = 0; i < 100; i++) admission.worked(500);
  for (let i = 0; i < 5; i++) admission.enter();
  assert.equal(refusalOf(admission)?.fault, 'capacity_unavailable');
  assert.equal(admission.used, 5);
});

function enterAll(admission: Admission, scope: string): number {
  for (let count = 0; ; count++) {
    if (refusalOf(admission, scope) !== null) return count;
    admission.enter(scope);
  }
}

test('a scope that has all places keeps no other one out, each of which has its share, and is itself refused', () => {
  const admission = new Admission({ sequences: 4, maxQueue: 20, maxWaitMs: 1e9 }, clock, pace);
  assert.equal(enterAll(admission, 'flood'), 24);
  assert.equal(enterAll(admission, 'second'), 12);
  assert.equal(enterAll(admission, 'third'), 8);
  assert.equal(refusalOf(admission, 'flood')?.fault, 'capacity_unavailable');
});

test('however many scopes flood, there is a bound of all requests', () => {
  const admission = new Admission({ sequences: 8, maxQueue: 64, maxWaitMs: 1e9 }, clock, pace);
  for (let scope = 0; scope < 200; scope++) enterAll(admission, `s${scope}`);
  assert.ok(admission.used < mostOf({ sequences: 8, maxQueue: 64 }), `${admission.used} requests`);
});

test('a call waits for its turn only, and for as long as one of those that run where all sequences are taken', () => {
  const admission = new Admission({ sequences: 2, maxQueue: 100, maxWaitMs: 10_000 }, clock, pace);
  for (let i = 0; i < 100; i++) admission.worked(1_000);
  assert.equal(enterAll(admission, 'flood'), 12);
  assert.deepEqual([admission.waitMs('flood'), admission.waitMs('other')], [11_000, 1_000]);
  const place = admission.enter('other');
  assert.equal(admission.waitMs('other'), 2_000);
  place.free();
  assert.equal(admission.waitMs('other'), 1_000);
});
