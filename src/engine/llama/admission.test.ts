import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { Admission, workOf } from './admission.ts';

const throughput = () => ({ prefillMsPerToken: 1, decodeMsPerToken: 10 });
const still = { nowMs: () => 0, monotonicMs: () => 0 };
const any = { scope: '', work: 1 };

/** One whose calls take a millisecond for each piece of their work, and are as long as they may be. */
function measured(limits: ReturnType<ConstructorParameters<typeof Admission>[0]>, clock = still): Admission {
  const admission = new Admission(() => limits, clock, throughput);
  admission.ran(100_000, 100_000);
  return admission;
}

function refusalOf(admission: Admission, wanted = any): Fault | null {
  try {
    admission.enter(wanted).free();
    return null;
  } catch (error) {
    assert.ok(error instanceof Fault);
    return error;
  }
}

test('more requests than memory is meant for are refused', () => {
  const admission = new Admission(() => ({ sequences: 2, maxQueue: 3, maxWaitMs: 1e9 }), still, throughput);
  const places = Array.from({ length: 5 }, () => admission.enter(any));
  assert.equal(refusalOf(admission)?.fault, 'capacity_unavailable');
  places[0]?.free();
  places[0]?.free();
  assert.equal(refusalOf(admission), null);
  assert.equal(admission.used, 4);
});

test('the load tells running calls from those that wait for a sequence', () => {
  const admission = new Admission(() => ({ sequences: 2, maxQueue: 3, maxWaitMs: 1e9 }), still, throughput);
  assert.deepEqual(admission.load(), { running: 0, waiting: 0 });
  const places = Array.from({ length: 5 }, () => admission.enter(any));
  assert.deepEqual(admission.load(), { running: 2, waiting: 3 });
  for (const place of places) place.free();
  assert.deepEqual(admission.load(), { running: 0, waiting: 0 });
});

test('the wait follows the work of the requests ahead, at the measured throughput of a model that is full', () => {
  const admission = new Admission(() => ({ sequences: 2, maxQueue: 100, maxWaitMs: 1e9 }), still, throughput);
  const call = { scope: '', work: 100 };
  assert.equal(admission.waitMs(''), 0);
  const places = Array.from({ length: 10 }, () => admission.enter(call));
  // Nothing measured: 100 tokens of 10 ms. Two at a time run before the next one starts.
  assert.equal(admission.waitMs(''), 5 * 1_000);
  // Its share of the steps was half of them, so that it took twice as long: 4 ms for each token.
  for (let i = 0; i < 500; i++) places[0]?.worked(200, 100);
  assert.equal(Math.round(admission.waitMs('')), 5 * 400);
  assert.equal(new Admission(() => ({ sequences: 1, maxQueue: 1, maxWaitMs: 1e9 }), still, throughput).waitMs(''), 0);
});

test('answers are not taken to be as long as they may be, unless some were of late', () => {
  const admission = new Admission(() => ({ sequences: 1, maxQueue: 100, maxWaitMs: 1e9 }), still, throughput);
  admission.enter({ scope: '', work: 32_000 });
  assert.equal(admission.waitMs(''), 128 * 10);
  admission.ran(50, 5);
  assert.equal(admission.waitMs(''), 128 * 10);
  admission.ran(10_000, 1_000);
  assert.equal(Math.round(admission.waitMs('')), 1_000 * 10);
  for (let n = 0; n < 100; n += 1) admission.ran(50, 5);
  assert.equal(Math.round(admission.waitMs('')), 128 * 10);
});

test('a few long answers keep no short calls out', () => {
  const admission = measured({ sequences: 8, maxQueue: 1_000, maxWaitMs: 55_000 });
  for (let i = 0; i < 5; i++) admission.enter({ scope: 'long', work: 100_000 });
  for (let i = 0; i < 50; i++) admission.enter({ scope: 'short', work: 100 });
  // The other three places run them all.
  assert.equal(admission.waitMs('short'), 1_600);
});

test('it is the time that decides: many short calls come in, and few long ones', () => {
  const count = (work: number) => {
    const admission = measured({ sequences: 4, maxQueue: 1_000, maxWaitMs: 10_000 });
    return enterAll(admission, { scope: '', work });
  };
  assert.deepEqual([count(10), count(100), count(10_000), count(20_000)], [1_004, 404, 8, 4]);
});

test('what has run of a request is not waited for again', () => {
  let nowMs = 0;
  const admission = measured(
    { sequences: 1, maxQueue: 9, maxWaitMs: 1e9 },
    { nowMs: () => 0, monotonicMs: () => nowMs },
  );
  admission.enter({ scope: '', work: 1_000 });
  admission.enter({ scope: '', work: 500 });
  nowMs = 600;
  assert.equal(admission.waitMs(''), 900);
  nowMs = 1_100;
  assert.equal(admission.waitMs(''), 400);
});

function enterAll(admission: Admission, wanted: { scope: string; work: number }): number {
  for (let count = 0; ; count++) {
    if (refusalOf(admission, wanted) !== null) return count;
    admission.enter(wanted);
  }
}

test('a scope that has all places keeps no other one out, each of which has its share, and is itself refused', () => {
  const admission = new Admission(() => ({ sequences: 4, maxQueue: 20, maxWaitMs: 1e9 }), still, throughput);
  const enter = (scope: string) => enterAll(admission, { scope, work: 1 });
  assert.deepEqual([enter('flood'), enter('second'), enter('third')], [24, 12, 8]);
  assert.equal(refusalOf(admission, { scope: 'flood', work: 1 })?.fault, 'capacity_unavailable');
});

test('however many scopes flood, there is a bound of all requests', () => {
  const admission = new Admission(() => ({ sequences: 8, maxQueue: 64, maxWaitMs: 1e9 }), still, throughput);
  for (let scope = 0; scope < 200; scope++) enterAll(admission, { scope: `s${scope}`, work: 1 });
  // The second scope has half as many as the first, the third one a third, and so on.
  assert.ok(admission.used <= Math.ceil(72 * (Math.log(72) + 1)), `${admission.used} requests`);
});

test('a call waits for its turn only, and for the first that ends where all sequences are taken', () => {
  const admission = measured({ sequences: 2, maxQueue: 100, maxWaitMs: 10_000 });
  const flood = { scope: 'flood', work: 1_000 };
  assert.equal(enterAll(admission, flood), 22);
  assert.deepEqual([admission.waitMs('flood'), admission.waitMs('other')], [11_000, 1_000]);
  const places = [1, 2].map(() => admission.enter({ scope: 'other', work: 1_000 }));
  // Those that run, two of its own, and a third one of the flood.
  assert.deepEqual([admission.waitMs('third'), admission.waitMs('other')], [1_000, 2_000]);
  for (const place of places) place.free();
  assert.equal(admission.waitMs('other'), 1_000);
});

test('a call that asks for more than the context holds counts for no more than that', () => {
  const most = workOf({ promptTokens: 4_096, maxTokens: 4_096 }, 4_096);
  assert.equal(workOf({ promptTokens: 1e6, maxTokens: 1e9 }, 4_096), most);
  assert.ok(workOf({ promptTokens: 10, maxTokens: 10 }, 4_096) < 20);
});
