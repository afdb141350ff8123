import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import type { Caller, NamedEvent, NamedEvents } from '#http';
import type { TrainingJob } from '../jobs/job.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { type LogFilter, listLogs } from '../logs/logs.store.ts';
import { logToWire, progressToWire } from './wire.ts';

export type LogStreamDeps = {
  sql: Sql;
  readJob: () => Promise<TrainingJob | null>;
  /** Resolves when something of the job may have changed, or after a while. */
  changed: (signal: AbortSignal) => Promise<void>;
};

const linesAtOnce = 200;
/** Between two looks, so that a job that says much does not keep the database busy. */
const pauseMs = 150;

/**
 * Follows a job until it is over: its log from a place on, its state and its progress as they change. What a reader has
 * missed is sent first, in order; an event of the log has its number, which is the place to come back to.
 */
export async function followJob(
  { sql, readJob, changed }: LogStreamDeps,
  stream: NamedEvents,
  { caller, filter, afterSeq }: { caller: Caller; filter: LogFilter; afterSeq: bigint },
): Promise<void> {
  const { signal } = caller;
  let place = afterSeq;
  let told = { state: '', progress: '' };
  while (!signal.aborted) {
    // The job first: when it is over, every line of its log is there to be read behind it.
    const job = await readJob();
    if (!job) break;
    for (;;) {
      const lines = await listLogs(sql, filter, { afterSeq: place, limit: linesAtOnce });
      const events = lines.map((line): NamedEvent => ({ event: 'log', id: String(line.seq), data: logToWire(line) }));
      if (!stream.send(events)) return;
      place = lines.at(-1)?.seq ?? place;
      if (lines.length < linesAtOnce) break;
    }
    told = tell(stream, job, told);
    if (isFinal(job.state)) {
      stream.send([{ event: 'end', data: { state: job.state } }]);
      break;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    await changed(signal);
  }
  stream.end();
}

function tell(stream: NamedEvents, job: TrainingJob, told: { state: string; progress: string }) {
  const state = { state: job.state, phase: job.phase, attempt: job.attempt, queue_position: job.queuePosition };
  const now = { state: JSON.stringify(state), progress: JSON.stringify(progressToWire(job)) };
  const events: NamedEvent[] = [];
  if (now.state !== told.state) events.push({ event: 'state', data: state });
  if (now.progress !== told.progress) events.push({ event: 'progress', data: progressToWire(job) });
  stream.send(events);
  return now;
}
