import type { Database } from '#db';
import { advance } from '../jobs/advance.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { lockJob } from '../jobs/jobs.store.ts';
import { isFinal, workedStates } from '../jobs/lifecycle.ts';
import { findWork, isWorkWaiting, takeLease } from './lease.store.ts';

/** A job in the hands of this worker. */
export type Claimed = { job: TrainingJob; holder: string };

/**
 * Takes the next job. One that another worker has left counts a loss first, which may be its end: then the next one is looked
 * for. Null: there is nothing to do.
 */
export async function claim(
  database: Database,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<Claimed | null> {
  while (await isWorkWaiting(database)) {
    const found = await database.transaction(async (tx) => {
      const id = await findWork(tx);
      const seen = id === null ? null : await lockJob(tx, id);
      if (!seen) return null;
      const isLeft = workedStates.some((state) => state === seen.state);
      const message = 'The worker has shown no life for a while.';
      const free = isLeft ? await advance(tx, seen, { type: 'lost' }, { message }) : seen;
      if (!free || isFinal(free.state)) return 'ended';
      const job = await advance(tx, free, { type: 'taken' });
      if (!job) throw new Error(`${free.id} waits and cannot be taken. This is a bug.`);
      await takeLease(tx, { jobId: job.id, attempt: job.attempt, holder, seconds });
      return { job: { ...job, leaseHolder: holder }, holder };
    });
    if (found !== 'ended') return found;
  }
  return null;
}
