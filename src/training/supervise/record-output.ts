import type { Database, Sql } from '#db';
import { advance } from '../jobs/advance.ts';
import type { AttemptName, JobLease, TrainingJob, TrainingProgress } from '../jobs/job.ts';
import { appendLogs, type MetricPoint, type NewLogLine, resultPrefix, writeMetrics } from '../logs/logs.store.ts';
import { isEvent, type RunnerLine } from '../runners/runner.ts';
import type { TrainerEvent, TrainerMetrics } from '../runners/trainer-events.ts';
import { findCheckpointTime, insertCheckpoint } from './checkpoints.store.ts';
import { lockLeasedJob } from './lease.ts';
import { logLineOf } from './log-lines.ts';
import { updateAttemptCounters, updateProgress } from './record-output.store.ts';

/** Lines of one attempt that are kept in the log; what libraries print beyond is only counted. */
const maxLogLines = 20_000;

/**
 * Records what a trainer prints, in the transaction that proves that this worker still has the job: each event and each line
 * once, whatever was lost or is sent again. Returns the job as it is then.
 */
export function recordOutput(database: Database, lease: JobLease, lines: readonly RunnerLine[]): Promise<TrainingJob> {
  return database.transaction(async (tx) => {
    const job = await lockLeasedJob(tx, lease);
    const fresh = lines.filter((line) => isFresh(line, job));
    const events = fresh.filter(isEvent);
    const capacity = Math.max(0, maxLogLines - Number(job.logSeq));
    const texts = fresh.flatMap((line) => logLineOf(line, job.kind) ?? []);
    if (texts.length > 0) await appendLogs(tx, lease, withinCapacity(texts, capacity));
    let [now, redoneMs] = [job, job.redoneMs];
    for (const event of events) {
      redoneMs = await redoneAfter(tx, lease, event, redoneMs);
      now = await applyTrainerEvent(tx, now, event, redoneMs);
    }
    await writeMetrics(tx, lease, events.flatMap(metricsOf));
    const progress = events.reduce(progressAfter, now.progress);
    if (events.length > 0) await updateProgress(tx, now.id, { progress, phase: phaseOf(events) });
    await updateAttemptCounters(tx, lease, {
      seq: Math.max(0, ...events.map(({ seq }) => seq)),
      line: Math.max(0, ...fresh.map((line) => (isEvent(line) ? 0 : line.line))),
      reportedMs: Math.max(0, ...events.map(({ active_ms }) => active_ms)),
      redoneMs,
      step: progress?.step ?? 0,
      droppedLines: Math.max(0, texts.length - capacity),
    });
    return now;
  });
}

function isFresh(line: RunnerLine, { trainerSeq, trainerLine }: TrainingJob): boolean {
  if (isEvent(line)) return BigInt(line.seq) > trainerSeq;
  return line.line === 0 || line.line > trainerLine;
}

/** Warnings and errors are always kept. */
function withinCapacity(lines: readonly NewLogLine[], capacity: number): NewLogLine[] {
  return lines.filter(({ level }, index) => index < capacity || level === 'warn' || level === 'error');
}

async function applyTrainerEvent(
  tx: Sql,
  job: TrainingJob,
  event: TrainerEvent,
  redoneMs: number,
): Promise<TrainingJob> {
  if (event.event === 'started') return (await advance(tx, job, { type: 'started' })) ?? job;
  if (event.event !== 'checkpoint') return job;
  const { path: name, step, bytes: sizeBytes, active_ms: activeMs } = event;
  const row = { name, step, activeMs: activeMs - redoneMs, sizeBytes };
  const losses = { loss: job.progress?.loss ?? null, evalLoss: job.progress?.evalLoss ?? null };
  const isNew = await insertCheckpoint(tx, { jobId: job.id, attempt: job.attempt }, row, losses);
  return isNew ? ((await advance(tx, job, { type: 'checkpointed' })) ?? job) : job;
}

/**
 * Time that a trainer has counted twice so far: what it did after the checkpoint from which it resumes. Its clock goes on where
 * it was interrupted; the work does not.
 */
async function redoneAfter(tx: Sql, name: AttemptName, event: TrainerEvent, redoneMs: number): Promise<number> {
  if (event.event !== 'started' || event.active_ms === 0) return redoneMs;
  const savedMs = event.resumed_step === 0 ? 0 : await findCheckpointTime(tx, name, event.resumed_step);
  return Math.max(redoneMs, event.active_ms - savedMs);
}

function metricsOf(event: TrainerEvent): MetricPoint[] {
  if (event.event === 'progress') {
    const { step, loss, lr, grad_norm, tok_s } = event;
    return pointsOf(step, { loss, learning_rate: lr, grad_norm, tokens_per_second: tok_s });
  }
  if (event.event !== 'eval') return [];
  const { step, phase, metrics } = event;
  if (phase === 'before') return pointsOf(step, withPrefix('baseline.', metrics));
  const points = pointsOf(step, withPrefix('eval.', metrics));
  // The last evaluation counts, whatever step had the best weights.
  return phase === 'after' ? [...points, ...pointsOf(0, withPrefix(resultPrefix, metrics))] : points;
}

function withPrefix(prefix: string, metrics: TrainerMetrics): TrainerMetrics {
  return Object.fromEntries(Object.entries(metrics).map(([name, value]) => [prefix + name, value]));
}

function pointsOf(step: number, values: Record<string, number | null>): MetricPoint[] {
  return Object.entries(values).flatMap(([name, value]) => (value === null ? [] : [{ name, step, value }]));
}

function progressAfter(progress: TrainingProgress | null, event: TrainerEvent): TrainingProgress | null {
  const before = progress ?? {
    step: 0,
    totalSteps: null,
    epoch: null,
    etaMs: null,
    loss: null,
    evalLoss: null,
    tokensSeen: 0,
  };
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
