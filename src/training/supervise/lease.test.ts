import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '#test/database.ts';
import { startTraining } from '../training.fixture.ts';
import { claim } from './claim.ts';
import { Intake } from './intake.ts';
import { renewLease } from './lease.store.ts';
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

test('a worker whose job another one has taken cannot renew its lease', async (t) => {
  // What workers do is done here.
  const { database, person, stop } = await startTraining({ settings: { FANFOLD_ROLES: 'serve' } });
  t.after(stop);
  const ada = await person();
  const message = (role: string, n: number) => ({ role, content: `${role} ${n}` });
  const datasetId = await ada.dataset(
    Array.from({ length: 10 }, (_, n) => ({ text: { messages: [message('user', n), message('assistant', n)] } })),
  );
  const wanted = { base_model: 'fanfold-tiny-chat', dataset_id: datasetId };
  const { id: jobId } = await ada.ok('POST', `${ada.project}/training-jobs`, wanted);
  const until = async () => {
    const [row] = await database.query<{ until: Date }>(
      'select lease_until as until from training_jobs where id = $1',
      [jobId],
    );
    return row?.until.getTime() ?? 0;
  };
  await claim(database, { holder: 'one', seconds: 60 });
  assert.equal(await renewLease(database, { jobId, holder: 'one', seconds: 120 }), 'preparing');
  await database.query("update training_jobs set lease_until = now() - interval '1 second' where id = $1", [jobId]);
  await claim(database, { holder: 'other', seconds: 60 });
  const before = await until();
  assert.equal(await renewLease(database, { jobId, holder: 'one', seconds: 3_600 }), null);
  assert.equal(await until(), before);
  assert.equal(await renewLease(database, { jobId, holder: 'other', seconds: 120 }), 'preparing');
});
