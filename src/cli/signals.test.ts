import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fileDatabase } from '#test/file-database.ts';

const database = fileDatabase();
const main = fileURLToPath(new URL('../main.ts', import.meta.url));

test('a command that works ends at the first signal, as other programs do', async () => {
  await database().transaction(async (tx) => {
    await tx.query('lock table ledger');
    const env = { ...process.env, DATABASE_URL: database().url };
    const doctor = spawn(process.execPath, [main, 'doctor'], { env, stdio: 'ignore' });
    const ended = once(doctor, 'exit');
    // It has begun, and would not end by itself.
    const waiting =
      'select from pg_locks, pg_database where database = pg_database.oid and datname = current_database() and not granted';
    const isWaiting = async () => (await tx.query(waiting)).length > 0;
    for (const timeout = AbortSignal.timeout(120_000); !(await isWaiting()); timeout.throwIfAborted()) await sleep(50);
    doctor.kill('SIGINT');
    assert.deepEqual(await ended, [null, 'SIGINT']);
  });
});
