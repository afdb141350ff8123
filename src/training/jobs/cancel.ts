import type { Sql } from '#db';
import { fault } from '#kernel';
import { advance } from './advance.ts';
import type { JobAuthor } from './create-job.ts';
import type { TrainingJob } from './job.ts';
import { discardCheckpoints } from './jobs.store.ts';

/**
 * Cancels a locked job: at once where nobody works on it, else as soon as its worker hears of it. What was canceled, or is
 * about to be, stays so. Throws `state_conflict` where it is too late.
 */
export async function cancelJob(
  tx: Sql,
  job: TrainingJob,
  { keepCheckpoint, author }: { keepCheckpoint: boolean; author: JobAuthor },
): Promise<TrainingJob> {
  if (job.state === 'canceled' || job.state === 'canceling') return job;
  const canceled = await advance(tx, job, { type: 'cancel_requested' }, author);
  if (!canceled) {
    throw fault('state_conflict', {
      message: job.state === 'saving' ? 'Training is done; the result is being saved.' : 'The job is over.',
      details: { state: job.state, allowed_from: ['queued', 'preparing', 'running', 'interrupted'] },
    });
  }
  if (!keepCheckpoint) await discardCheckpoints(tx, job.id);
  return canceled;
}
