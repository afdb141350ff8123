import { setTimeout as sleep } from 'node:timers/promises';
import { findAccountBySlug } from '#accounts';
import { grant } from '#billing';
import type { Database } from '#db';
import { askForJobs, peopleOf } from '../chaos/ask-jobs.ts';
import { type JobAudit, judgeJobs } from '../chaos/job-books.ts';
import type { Replica } from './replica.ts';

export type Training = {
  /** Waits until all jobs have ended, and judges them through another replica than the one that took them in. */
  judged: (through: Replica) => Promise<JobAudit>;
  /** How many have not ended. */
  left: () => Promise<number>;
};

const patienceMs = 15 * 60_000;

/** Jobs of both kinds, taken in by one replica. Who works on them is whoever is there. */
export async function beginTraining(
  { database, key, jobs }: { database: Database; key: string; jobs: number },
  through: Replica,
): Promise<Training> {
  const account = await findAccountBySlug(database, 'local');
  if (!account) throw new Error('The first start did not make its account.');
  await grant(database, { accountId: account.id, micro: 1_000_000_000_000n, note: 'chaos' });
  const asked = await askForJobs(peopleOf(through.url, key), jobs);
  const left = async () => {
    const rows = await database.query('select 1 from training_jobs where finished_at is null');
    return rows.length;
  };
  return {
    left,
    async judged(other) {
      const deadline = Date.now() + patienceMs;
      while ((await left()) > 0 && Date.now() < deadline) await sleep(500);
      const people = peopleOf(other.url, key);
      return judgeJobs(
        database,
        asked.map(({ id, kind }) => ({ id, person: people[kind] })),
      );
    },
  };
}
