import type { Sql } from '#db';
import type { AttemptName, TrainingProgress } from '../jobs/job.ts';

/** Clocks differ, and a worker has a job slightly before it is recorded. */
const clockSlackMs = 2_000;

/** Active time cannot be longer than workers have had the attempt, whatever a trainer elsewhere reports. */
export async function updateAttemptCounters(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  counters: { seq: number; line: number; reportedMs: number; redoneMs: number; step: number; droppedLines: number },
): Promise<void> {
  await tx.query(
    `update training_attempts
        set trainer_seq = greatest(trainer_seq, $3), trainer_line = greatest(trainer_line, $4),
            active_ms = greatest(active_ms,
              least($5, extract(epoch from clock_timestamp() - taken_at)::float8 * 1000 + ${clockSlackMs}) - $6),
            redone_ms = $6, steps = greatest(steps, $7), dropped_lines = dropped_lines + $8
      where job_id = $1 and number = $2`,
    [
      jobId,
      attempt,
      counters.seq,
      counters.line,
      counters.reportedMs,
      counters.redoneMs,
      counters.step,
      counters.droppedLines,
    ],
  );
}

export async function updateProgress(
  tx: Sql,
  jobId: string,
  { progress, phase }: { progress: TrainingProgress | null; phase: string | null },
): Promise<void> {
  await tx.query(
    `update training_jobs set progress = coalesce($2, progress), phase = coalesce($3, phase), updated_at = now() where id = $1`,
    [jobId, progress && JSON.stringify(progress), phase],
  );
}

export async function writeSnapshot(tx: Sql, jobId: string, snapshot: object): Promise<void> {
  await tx.query('update training_jobs set snapshot = $2 where id = $1', [jobId, JSON.stringify(snapshot)]);
}
