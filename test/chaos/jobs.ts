import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findAccountBySlug } from '#accounts';
import { grant } from '#billing';
import { type Database, findEmbedded, openDatabase } from '#db';
import { startProgram } from '#test/program.ts';
import { pythonProgram } from '#test/python.ts';
import { seededRandom } from '#test/random.ts';
import type { Person } from '../../src/training/training.fixture.ts';
import { askForJob, askForJobs, peopleOf, ticketExamples } from './ask-jobs.ts';
import { type JobAudit, judgeJobs } from './job-books.ts';
import { killQuietly, trainersOf } from './trainers.ts';

export type JobChaosOptions = { seed: number; jobs: number; report: (line: string) => void };

export type JobChaosReport = JobAudit & { kills: { server: number; trainer: number } };

const settings = {
  FANFOLD_TRAINING_SLOTS: '2',
  FANFOLD_TRAINING_THREADS: '1',
  FANFOLD_ENGINE_THREADS: '1',
  FANFOLD_TRAINING_LEASE_SECONDS: '4',
  FANFOLD_TRAINING_CHECKPOINT_SECONDS: '1',
};
const startMs = 120_000;
const longestMs = 40 * 60_000;

/**
 * Kills the server and its trainers with SIGKILL at random moments while real jobs, of both kinds, learn; brings the server back, as
 * a supervisor does. Then every job must have succeeded, with a log without gaps and one exact charge.
 */
export async function runJobChaos({ seed, jobs, report }: JobChaosOptions): Promise<JobChaosReport> {
  await pythonProgram('python');
  const dataDir = await mkdtemp(path.join(tmpdir(), 'fanfold-chaos-jobs-'));
  const start = () => startProgram({ dataDir, startMs, env: settings });
  let program = await start();
  const { key } = program;
  if (key === null) throw new Error(`No key was printed:\n${program.output()}`);
  await giveCredits(dataDir);
  const random = seededRandom(seed);
  const kills = { server: 0, trainer: 0 };
  try {
    const people = peopleOf(program.url, key);
    // How long one takes here when nobody is killed: losses come about as often, so that each start may get further.
    const paceMs = await timeOne(people.text);
    report(`a job takes ${(paceMs / 1000).toFixed(1)} s when nothing is killed`);
    const asked = await askForJobs(people, jobs);
    const deadline = performance.now() + longestMs;
    for (;;) {
      await sleep((paceMs * (20 + random.integer(160))) / 100);
      const left = await inBooks(dataDir, countLive);
      if (left === 0 || performance.now() > deadline) break;
      const trainers = trainersOf(dataDir);
      if (trainers.length > 0 && random.chance(0.5)) {
        killQuietly(random.pick(trainers));
        kills.trainer++;
        report(`killed a trainer, ${left} jobs are left`);
      } else {
        await program.kill();
        kills.server++;
        report(`killed the server, ${left} jobs are left`);
        program = await start();
      }
    }
    const now = peopleOf(program.url, key);
    const present = asked.map(({ id, kind }) => ({ id, person: now[kind] }));
    const books = await inBooks(dataDir, (database) => judgeJobs(database, present));
    return { kills, ...books };
  } catch (error) {
    report(program.output().slice(-4_000));
    throw error;
  } finally {
    await program.stop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The database of the program, which has another port after each start. */
async function inBooks<Result>(dataDir: string, ask: (database: Database) => Promise<Result>): Promise<Result> {
  const url = await untilFound(dataDir);
  const database = await openDatabase({ url, maxConnections: 2 });
  try {
    return await ask(database);
  } finally {
    await database.close();
  }
}

async function untilFound(dataDir: string): Promise<string> {
  const deadline = performance.now() + startMs;
  for (;;) {
    const url = await findEmbedded(dataDir);
    if (url) return url;
    if (performance.now() > deadline) throw new Error('The embedded PostgreSQL is gone.');
    await sleep(200);
  }
}

function giveCredits(dataDir: string): Promise<void> {
  return inBooks(dataDir, async (database) => {
    const account = await findAccountBySlug(database, 'local');
    if (!account) throw new Error('The program did not make its account.');
    await grant(database, { accountId: account.id, micro: 1_000_000_000_000n, note: 'chaos' });
  });
}

async function timeOne(person: Person): Promise<number> {
  const datasetId = await person.dataset(ticketExamples());
  const beganMs = performance.now();
  const { id } = await askForJob(person, datasetId, 99);
  await person.until(id, 'succeeded');
  return performance.now() - beganMs;
}

async function countLive(database: Database): Promise<number> {
  const [row] = await database.query<{ live: number }>(
    'select count(*)::integer as live from training_jobs where finished_at is null',
  );
  return row?.live ?? 0;
}
