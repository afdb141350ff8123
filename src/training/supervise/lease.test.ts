import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTestDatabase } from '#test/database.ts';
import { startTraining } from '../training.fixture.ts';
import { OutputBatches } from './follow-trainer.ts';
import { renewLease } from './lease.store.ts';
import { claim, LeaseLost, retryWhileUnavailable, startHeartbeat } from './lease.ts';

test('what waits for the database under a lease waits no longer once the work has ended', async () => {
  const { database, drop } = await createTestDatabase();
  await drop();
  const lease = { jobId: 'job_1', attempt: 1, holder: 'a' };
  const timing = { heartbeatMs: 10, leaseSeconds: 60 };
  const heartbeat = startHeartbeat({ database, lease, timing }, () => {});
  const waiting = retryWhileUnavailable(heartbeat.signal, () => database.query('select'));
  // It is looked at later.
  waiting.catch(() => {});
  await sleep(50);
  assert.ok(!heartbeat.signal.aborted, 'the lease holds for as long as nobody else may have it');
  await heartbeat.stop();
  await assert.rejects(waiting, LeaseLost);
});

test('batches of output that were stopped are not written by themselves', async () => {
  const written: unknown[] = [];
  const batches = new OutputBatches(10, async (lines) => void written.push(...lines));
  await batches.add({ line: 1, text: 'a' });
  batches.stop();
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
  assert.equal(await renewLease(database, { jobId, holder: 'one' }, 120), 'preparing');
  await database.query("update training_jobs set lease_until = now() - interval '1 second' where id = $1", [jobId]);
  await claim(database, { holder: 'other', seconds: 60 });
  const before = await until();
  assert.equal(await renewLease(database, { jobId, holder: 'one' }, 3_600), null);
  assert.equal(await until(), before);
  assert.equal(await renewLease(database, { jobId, holder: 'other' }, 120), 'preparing');
});
