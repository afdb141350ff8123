import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseError } from 'pg';
import { Fault, fault } from '#kernel';
import { fc } from '#test/properties.ts';
import { type BatchOutcome, runIsolated } from './batch.ts';

function databaseError(code: string): DatabaseError {
  const error = new DatabaseError(code, 0, 'error');
  error.code = code;
  return error;
}

test('only the items at fault fail, each other one runs exactly once and keeps its place', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }), async (areBad) => {
      const done: number[] = [];
      const run = async (items: readonly number[]) => {
        if (items.some((item) => areBad[item])) throw databaseError('22021');
        done.push(...items);
        return items.map((item) => item * 2);
      };
      const outcomes = await runIsolated([...areBad.keys()], run);
      assert.deepEqual(
        outcomes.map((outcome) => (outcome.ok ? outcome.value : 'failed')),
        areBad.map((isBad, item) => (isBad ? 'failed' : item * 2)),
      );
      assert.deepEqual(
        done,
        [...areBad.keys()].filter((item) => !areBad[item]),
      );
    }),
  );
});

function isUnavailable(outcome: BatchOutcome<unknown>): boolean {
  return !outcome.ok && outcome.error instanceof Fault && outcome.error.fault === 'service_unavailable';
}

test('a failure of the database fails all items after one attempt, as service_unavailable', async () => {
  for (const error of [fault('service_unavailable'), databaseError('57014'), databaseError('55000')]) {
    let attempts = 0;
    const run = async (): Promise<never[]> => {
      attempts++;
      throw error;
    };
    const outcomes = await runIsolated([1, 2, 3], run);
    assert(outcomes.length === 3 && outcomes.every(isUnavailable));
    assert.equal(attempts, 1);
  }
});

test('a lost race is run again, and fails when it is lost again and again', async () => {
  let attempts = 0;
  const loseTwice = async (items: readonly number[]) => {
    if (++attempts < 3) throw databaseError(attempts === 1 ? '40P01' : '40001');
    return items;
  };
  assert.deepEqual(await runIsolated([7], loseTwice), [{ ok: true, value: 7 }]);
  const loseAlways = async (): Promise<never[]> => Promise.reject(databaseError('40P01'));
  const outcomes = await runIsolated([1, 2], loseAlways);
  assert(outcomes.every(isUnavailable));
});
