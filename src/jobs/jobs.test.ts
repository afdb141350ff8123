import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openWay } from '#test/way.ts';
import { createJobs, type Jobs } from './jobs.ts';
import { defineTask } from './task.ts';

let db: TestDatabase;
let jobs: Jobs;

const note = defineTask<{ text: string }>('test.note', { concurrency: 2 });
const flaky = defineTask<{ text: string }>('test.flaky', { retries: 1 });
const slow = defineTask<{ text: string }>('test.slow');
const held = defineTask<{ text: string }>('test.held');
const done: string[] = [];
const begun: string[] = [];
let letGo = Promise.withResolvers<void>();

before(async () => {
  db = await createTestDatabase();
  jobs = createJobs({ url: db.url });
  jobs.handle(note, async ({ text }) => void done.push(text));
  jobs.handle(flaky, async ({ text }, { attempt, isLastAttempt }) => {
    done.push(`${text} ${attempt} ${isLastAttempt}`);
    if (attempt === 1) throw new Error('The first attempt fails.');
  });
  jobs.handle(slow, async ({ text }) => void done.push(text));
  jobs.handle(held, async ({ text }) => {
    begun.push(text);
    await letGo.promise;
    done.push(text);
  });
});

after(async () => {
  await jobs.stop(1_000);
  await db.drop();
});

async function until(condition: () => boolean, ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (!condition()) {
    assert.ok(performance.now() < deadline, `${JSON.stringify(done)} after ${ms} ms`);
    await sleep(20);
  }
}

test('work of a process that is killed goes on in another one', { timeout: 300_000 }, async (t) => {
  // As a replica that only takes requests.
  const sender = createJobs({ url: db.url, works: false });
  sender.handle(slow, async () => {});
  await sender.start();
  const worker = spawn(process.execPath, [fileURLToPath(new URL('jobs-worker.fixture.ts', import.meta.url)), db.url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => worker.kill('SIGKILL'));
  t.after(() => sender.stop(0));
  let said = '';
  worker.stdout.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  await until(() => said.includes('ready'), 120_000);
  await sender.enqueue(db.database, slow, { text: 'slow' });
  await until(() => said.includes('begun'), 120_000);
  worker.kill('SIGKILL');
  await once(worker, 'exit');
  await jobs.start();
  await until(() => done.includes('slow'), 120_000);
});

test('what is enqueued in a transaction runs when it commits, and never when it does not', async () => {
  await assert.rejects(
    db.database.transaction(async (tx) => {
      await jobs.enqueue(tx, note, { text: 'undone' });
      throw new Error('undo');
    }),
  );
  await db.database.transaction((tx) => jobs.enqueue(tx, note, { text: 'committed' }));
  await until(() => done.includes('committed'), 120_000);
  assert.ok(!done.includes('undone'));
});

test('work that fails is tried again, and knows its last attempt', async () => {
  await jobs.enqueue(db.database, flaky, { text: 'flaky' });
  await until(() => done.includes('flaky 2 true'), 120_000);
  assert.ok(done.includes('flaky 1 false'));
});

test('work is tried as often as its task says, also where an older version has made the queue', async () => {
  await db.database.query('update fanfold_jobs.queue set retry_limit = 9 where name = $1', [flaky.name]);
  await jobs.enqueue(db.database, flaky, { text: 'counted' });
  const rows = await db.database.query<{ limit: number }>(
    `select retry_limit as limit from fanfold_jobs.job where data->>'text' = 'counted'`,
  );
  assert.deepEqual(rows, [{ limit: 1 }]);
});

test('of work with one key, one waits at most; other work is not held back', async () => {
  await jobs.enqueue(db.database, held, { text: 'running' }, { key: 'k' });
  await until(() => begun.includes('running'), 120_000);
  for (let i = 0; i < 5; i++) await jobs.enqueue(db.database, held, { text: 'waiting' }, { key: 'k' });
  await jobs.enqueue(db.database, held, { text: 'other' }, { key: 'l' });
  letGo.resolve();
  await until(() => done.includes('other'), 120_000);
  assert.equal(done.filter((text) => text === 'waiting').length, 1);
  letGo = Promise.withResolvers<void>();
});

test('work goes on by itself after a network that has swallowed what it said', { timeout: 300_000 }, async (t) => {
  const own = await createTestDatabase();
  const way = await openWay(own.url);
  const sender = createJobs({ url: own.url, works: false });
  const worker = createJobs({ url: way.url, answerMs: 2_000 });
  t.after(async () => {
    await worker.stop(1_000);
    await sender.stop(0);
    await way.close();
    await own.drop();
  });
  const begun: string[] = [];
  const end = Promise.withResolvers<void>();
  sender.handle(held, async () => {});
  worker.handle(held, async ({ text }) => {
    begun.push(text);
    if (text === 'first') await end.promise;
  });
  await sender.start();
  await worker.start();
  await sender.enqueue(own.database, held, { text: 'first' });
  await until(() => begun.includes('first'), 120_000);
  way.swallow();
  end.resolve();
  // Says that the first is done, and is not heard.
  await sleep(500);
  way.restore();
  await sender.enqueue(own.database, held, { text: 'second' });
  await until(() => begun.includes('second'), 120_000);
});

test('a user who may not make the schema of the queue is refused, and it is said what is missing', async (t) => {
  const own = await createTestDatabase();
  t.after(own.drop);
  const name = new URL(own.url).pathname.slice(1);
  await own.database.query(`revoke create on database ${name} from current_user`);
  const refused = createJobs({ url: own.url });
  await assert.rejects(refused.start(), {
    name: 'OperatorError',
    message: /^The database user may not make tables \(permission denied for database .+\)\. Let it own/,
  });
  await refused.stop(0);
});
