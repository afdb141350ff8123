import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { doctor } from '#billing';
import type { Database } from '#db';
import { createTestDatabase } from '#test/database.ts';
import { allCommands } from '#test/processes.ts';
import { type ServerProcess, startServerProcess } from '#test/server-process.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedTenant } from '#test/tenants.ts';
import { becomePerson, type Person, scriptedTrainer } from '../../src/training/training.fixture.ts';
import { killQuietly, trainersOf } from '../chaos/trainers.ts';
import { trainOf } from './skill.ts';

const jobsMade = 5;
/** Server, trainers, the whole machine with its disk, and trainers again. */
const kills = 4;

test('jobs whose server and trainers are killed at any moment all succeed, with whole logs and exact books', {
  timeout: 180_000,
}, async (t) => {
  const db = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'fanfold-killed-'));
  const trainer = await scriptedTrainer();
  const settings = {
    FANFOLD_TRAINING_PYTHON: trainer.program,
    FANFOLD_TRAINING_SLOTS: '2',
    FANFOLD_TRAINING_LEASE_SECONDS: '3',
    FANFOLD_ENGINE_THREADS: '1',
  };
  const start = () => startServerProcess(db.url, { settings, dataDir, watched: false });
  const tenant = await seedTenant(db.database, openShippedModels());
  let server: ServerProcess = await start();
  t.after(async () => {
    server.kill();
    await db.drop();
    // What was killed may still be writing.
    await rm(dataDir, { recursive: true, force: true, maxRetries: 20 });
    await trainer.remove();
  });
  let ada: Person = becomePerson(server, tenant, 'text');
  const jobs = `${ada.project}/training-jobs`;
  const datasetId = await ada.dataset(
    trainOf()
      .slice(0, 12)
      .map(([prompt, answer]) => ({
        text: {
          messages: [
            { role: 'user', content: prompt },
            { role: 'assistant', content: answer },
          ],
        },
        split: 'train',
      })),
  );
  const ids: string[] = [];
  for (let n = 0; n < jobsMade; n++) {
    const hyperparameters = { seed: 100 + n, max_steps: 100 };
    const { id } = await ada.ok('POST', jobs, {
      base_model: 'fanfold-tiny-chat',
      dataset_id: datasetId,
      hyperparameters,
    });
    ids.push(id);
  }

  for (let kill = 0; kill < kills; kill++) {
    await sleep(randomInt(300, 2_500));
    if (kill % 2 === 1) {
      await killTrainers(db.database, dataDir);
      continue;
    }
    server.kill();
    // The second time another machine goes on.
    if (kill === 2) await loseMachine(dataDir);
    server = await start();
    ada = becomePerson(server, tenant, 'text');
  }

  for (const id of ids) {
    const job = await ada.until(id, 'succeeded');
    assert.equal(job.attempt, 1);
    const { data, total_count } = await ada.ok('GET', `${jobs}/${id}/logs?limit=100`);
    assert.ok(total_count < 100);
    assert.deepEqual(
      data.map(({ seq }: { seq: number }) => seq),
      data.map((_: unknown, index: number) => index + 1),
    );
    assert.equal(data.filter(({ message }: { message: string }) => message === 'The job has succeeded.').length, 1);
  }
  const { data: charges } = await ada.ok('GET', '/api/v1/credits/usage?type=training&limit=100');
  assert.deepEqual(charges.map((row: { training_job_id: string }) => row.training_job_id).sort(), ids.toSorted());
  assert.deepEqual(await doctor(db.database), []);
});

/** Kills all trainers a moment after there is one; where every job is over, nobody is left to kill. */
async function killTrainers(database: Database, dataDir: string): Promise<void> {
  const live = 'select id from training_jobs where finished_at is null limit 1';
  while (trainersOf(dataDir).length === 0) {
    if ((await database.query(live)).length === 0) return;
    await sleep(100);
  }
  await sleep(randomInt(0, 800));
  for (const pid of trainersOf(dataDir)) killQuietly(pid);
}

/** The trainers of a server that is dead die with it, and what was on its disk is gone. */
async function loseMachine(dataDir: string): Promise<void> {
  const folder = join(dataDir, 'training');
  // Until the shells that lead them have written their last word.
  while (allCommands().some((command) => command.includes(folder))) {
    for (const pid of trainersOf(dataDir)) killQuietly(pid);
    await sleep(20);
  }
  await rm(folder, { recursive: true, force: true, maxRetries: 20 });
}
