import type { Database, Sql } from '#db';
import { advance } from '../jobs/advance.ts';
import type { AttemptName, Progress, TrainingJob } from '../jobs/job.ts';
import { lockJob } from '../jobs/jobs.store.ts';
import { appendLogs, type NewLogLine } from '../logs/logs.store.ts';
import { resultPrefix } from '../metrics/metrics.store.ts';
import type { Metrics, TrainerEvent } from '../runners/protocol.ts';
import { isEvent, type RunnerLine } from '../runners/runner.ts';
import { logLineOf } from './event-lines.ts';
import {
  findCheckpointTime,
  insertCheckpoint,
  type Measurement,
  noteProgress,
  noteTakenIn,
  writeMetrics,
} from './take-in.store.ts';

export type Held = { jobId: string; attempt: number; holder: string };

/** Thrown when another worker has the lease: this one must write nothing more about the job. */
export class LeaseLost extends Error {}

/** Lines of one attempt that are kept in the log; what libraries print beyond is counted only. */
const mostLines = 20_000;

/**
 * Takes in what a trainer says, in the transaction that proves that this worker still has the job: each event and each line
 * once, whatever was lost or is said again. Returns the job as it is then.
 */
export function takeIn(database: Database, held: Held, lines: readonly RunnerLine[]): Promise<TrainingJob> {
  return database.transaction(async (tx) => {
    const job = await lockHeld(tx, held);
    const fresh = lines.filter((line) => isFresh(line, job));
    const events = fresh.filter(isEvent);
    const room = Math.max(0, mostLines - Number(job.logSeq));
    const texts = fresh.flatMap((line) => logLineOf(line, job.kind) ?? []);
    if (texts.length > 0) await appendLogs(tx, held, withinRoom(texts, room));
    let [now, redoneMs] = [job, job.redoneMs];
    for (const event of events) {
      redoneMs = await redoneAfter(tx, held, { event, redoneMs });
      now = await follow(tx, now, { event, redoneMs });
    }
    await keepBooks(tx, { now, redoneMs, fresh, events, droppedLines: Math.max(0, texts.length - room) });
    return now;
  });
}

/** The job, locked; throws `LeaseLost`. */
export async function lockHeld(tx: Sql, { jobId, attempt, holder }: Held): Promise<TrainingJob> {
  const job = await lockJob(tx, jobId);
  if (job && job.attempt === attempt && job.leaseHolder === holder) return job;
  throw new LeaseLost(`${jobId} has another worker.`);
}

function isFresh(line: RunnerLine, { trainerSeq, trainerLine }: TrainingJob): boolean {
  if (isEvent(line)) return BigInt(line.seq) > trainerSeq;
  return line.line === 0 || line.line > trainerLine;
}

/** Warnings and errors always have room. */
function withinRoom(lines: readonly NewLogLine[], room: number): NewLogLine[] {
  return lines.filter(({ level }, index) => index < room || level === 'warn' || level === 'error');
}

type Told = { event: TrainerEvent; redoneMs: number };

/** What an event does to the life of the job. */
async function follow(tx: Sql, job: TrainingJob, { event, redoneMs }: Told): Promise<TrainingJob> {
  switch (event.event) {
    case 'started':
      return (await advance(tx, job, { type: 'started' })) ?? job;
    case 'checkpoint': {
      const { path: name, step, bytes: sizeBytes, active_ms: activeMs } = event;
      const row = { name, step, activeMs: activeMs - redoneMs, sizeBytes };
      const losses = { loss: job.progress?.loss ?? null, evalLoss: job.progress?.evalLoss ?? null };
      const isNew = await insertCheckpoint(tx, { jobId: job.id, attempt: job.attempt }, row, losses);
      return isNew ? ((await advance(tx, job, { type: 'advanced' })) ?? job) : job;
    }
    default:
      return job;
  }
}

type TakenIn = {
  now: TrainingJob;
  redoneMs: number;
  fresh: readonly RunnerLine[];
  events: readonly TrainerEvent[];
  droppedLines: number;
};

async function keepBooks(tx: Sql, { now, redoneMs, fresh, events, droppedLines }: TakenIn): Promise<void> {
  const name = { jobId: now.id, attempt: now.attempt };
  await writeMetrics(tx, name, events.flatMap(measurementsOf));
  const progress = events.reduce(progressAfter, now.progress);
  if (events.length > 0) await noteProgress(tx, now.id, { progress, phase: phaseOf(events) });
  await noteTakenIn(tx, name, {
    seq: Math.max(0, ...events.map(({ seq }) => seq)),
    line: Math.max(0, ...fresh.map((line) => (isEvent(line) ? 0 : line.line))),
    toldMs: Math.max(0, ...events.map(({ active_ms }) => active_ms)),
    redoneMs,
    step: progress?.step ?? 0,
    droppedLines,
  });
}

/**
 * Time that a trainer has counted twice so far: what it did behind the checkpoint from which it goes on. Its clock goes on where
 * it was interrupted; the work does not.
 */
async function redoneAfter(tx: Sql, name: AttemptName, { event, redoneMs }: Told): Promise<number> {
  if (event.event !== 'started' || event.active_ms === 0) return redoneMs;
  const savedMs = event.resumed_step === 0 ? 0 : await findCheckpointTime(tx, name, event.resumed_step);
  return Math.max(redoneMs, event.active_ms - savedMs);
}

function measurementsOf(event: TrainerEvent): Measurement[] {
  if (event.event === 'progress') {
    const { step, loss, lr, grad_norm, tok_s } = event;
    return named(step, { loss, learning_rate: lr, grad_norm, tokens_per_second: tok_s });
  }
  if (event.event !== 'eval') return [];
  const { step, phase, metrics } = event;
  if (phase === 'before') return named(step, under('baseline.', metrics));
  const measured = named(step, under('eval.', metrics));
  // What was told last counts, whatever step had the best weights.
  return phase === 'after' ? [...measured, ...named(0, under(resultPrefix, metrics))] : measured;
}

function under(prefix: string, metrics: Metrics): Metrics {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [prefix + name, value]));
}

function named(step: number, values: Record<string, number | null>): Measurement[] {
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [{ name, step, value }]));
}

const noProgress: Progress = {
  ...{ step: 0, totalSteps: null, epoch: null, etaMs: null, loss: null, evalLoss: null, tokensSeen: 0 },
};

function progressAfter(progress: Progress | null, event: TrainerEvent): Progress | null {
  const before = progress ?? noProgress;
  if (event.event === 'prepared') return { ...before, totalSteps: event.steps_total };
  if (event.event === 'eval') return { ...before, evalLoss: event.metrics.loss ?? before.evalLoss };
  if (event.event !== 'progress') return progress;
  return {
    ...before,
    step: event.step,
    epoch: event.epoch,
    etaMs: event.eta_ms,
    loss: event.loss ?? before.loss,
    tokensSeen: event.tokens ?? before.tokensSeen,
  };
}

const phases: Partial<Record<TrainerEvent['event'], string>> = {
  hello: 'loading',
  prepared: 'ready',
  started: 'training',
  progress: 'training',
  eval: 'evaluating',
  finished: 'finishing',
};

function phaseOf(events: readonly TrainerEvent[]): string | null {
  return events.reduce<string | null>((phase, { event }) => phases[event] ?? phase, null);
}
