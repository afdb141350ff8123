import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import type { Caller, NamedEvent, NamedEvents } from '#http';
import type { TrainingJob } from '../jobs/job.ts';
import { isFinal } from '../jobs/lifecycle.ts';
import { type LogFilter, listLogs } from '../logs/logs.store.ts';
import { logToWire, progressToWire } from './wire.ts';

type LogStreamDeps = {
  sql: Sql;
  readJob: () => Promise<TrainingJob | null>;
  /** Resolves when something of the job may have changed, or after a while. */
  changed: (signal: AbortSignal) => Promise<void>;
};

const linesAtOnce = 200;
/** Between two reads, so that a job that logs much does not keep the database busy. */
const pauseMs = 150;

/**
 * Follows a job until it is over: its log from a line on, its state and its progress as they change. What a reader has
 * missed is sent first, in order; the id of a log event is its line number, from which a reader can resume.
 */
export async function followJob(
  { sql, readJob, changed }: LogStreamDeps,
  stream: NamedEvents,
  { caller, filter, afterSeq }: { caller: Caller; filter: LogFilter; afterSeq: bigint },
): Promise<void> {
  const { signal } = caller;
  let seq = afterSeq;
  let sent = { state: '', progress: '' };
  while (!signal.aborted) {
    // The job first: when it is over, every line of its log is there to be read behind it.
    const job = await readJob();
    if (!job) break;
    for (;;) {
      const lines = await listLogs(sql, filter, { afterSeq: seq, limit: linesAtOnce });
      const events = lines.map((line): NamedEvent => ({ event: 'log', id: String(line.seq), data: logToWire(line) }));
      if (!stream.send(events)) return;
      seq = lines.at(-1)?.seq ?? seq;
      if (lines.length < linesAtOnce) break;
    }
    sent = sendChanges(stream, job, sent);
    if (isFinal(job.state)) {
      stream.send([{ event: 'end', data: { state: job.state } }]);
      break;
    }
    await sleep(pauseMs, undefined, { signal }).catch(() => {});
    await changed(signal);
  }
  stream.end();
}

function sendChanges(stream: NamedEvents, job: TrainingJob, sent: { state: string; progress: string }) {
  const state = { state: job.state, phase: job.phase, attempt: job.attempt, queue_position: job.queuePosition };
  const now = { state: JSON.stringify(state), progress: JSON.stringify(progressToWire(job)) };
  const events: NamedEvent[] = [];
  if (now.state !== sent.state) events.push({ event: 'state', data: state });
  if (now.progress !== sent.progress) events.push({ event: 'progress', data: progressToWire(job) });
  stream.send(events);
  return now;
}

/** Notifies the readers of a job in this process that something about it has changed. */
export type JobChanges = {
  notify: (jobId: string) => void;
  /** Resolves with the next change, or after a while: jobs change elsewhere, too. Rejects never. */
  next: (jobId: string, signal: AbortSignal) => Promise<void>;
};

const maxWaitMs = 1_000;

export function createJobChanges(): JobChanges {
  const emitter = new EventEmitter().setMaxListeners(0);
  return {
    notify: (jobId) => void emitter.emit(jobId),
    next: async (jobId, signal) => {
      const either = AbortSignal.any([signal, AbortSignal.timeout(maxWaitMs)]);
      await once(emitter, jobId, { signal: either }).catch(() => {});
    },
  };
}
