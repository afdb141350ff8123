import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '#test/database.ts';
import { Intake } from './intake.ts';
import { keepLease } from './lease.ts';
import { patiently } from './patiently.ts';
import { LeaseLost } from './take-in.ts';

test('what waits for the database under a lease waits no longer once the work has ended', async () => {
  const { database, drop } = await createTestDatabase();
  await drop();
  const held = { jobId: 'job_1', attempt: 1, holder: 'a' };
  const lease = keepLease({ database, held, timing: { beatMs: 10, seconds: 60 } }, () => {});
  const waiting = patiently(lease.signal, () => database.query('select'));
  // It is looked at later.
  waiting.catch(() => {});
  await sleep(50);
  assert.ok(!lease.signal.aborted, 'the lease holds for as long as nobody else may have it');
  await lease.stop();
  await assert.rejects(waiting, LeaseLost);
});

test('an intake that was stopped writes nothing more by itself', async () => {
  const written: unknown[] = [];
  const intake = new Intake(10, async (lines) => void written.push(...lines));
  await intake.add({ line: 1, text: 'a' });
  intake.stop();
  await sleep(50);
  assert.deepEqual(written, []);
});
