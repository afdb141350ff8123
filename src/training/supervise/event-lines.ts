import { storable } from '#kernel';
import type { TrainingJob } from '../jobs/job.ts';
import type { LogLevel, NewLogLine } from '../logs/logs.store.ts';
import { isEvent, type RunnerLine } from '../runners/runner.ts';

/** How the log tells of what a trainer says; null: only numbers, which the metrics have. */
export function logLineOf(line: RunnerLine, kind: TrainingJob['kind']): NewLogLine | null {
  if (!isEvent(line)) {
    const source = line.line === 0 ? 'system' : 'trainer';
    return line.text.trim() === '' ? null : { level: 'debug', source, message: storable(line.text), data: null };
  }
  const { seq: _seq, t: _t, ...data } = line;
  const said = (level: LogLevel, message: string): NewLogLine => ({
    level,
    source: 'trainer',
    message: storable(message),
    data,
  });
  switch (line.event) {
    case 'hello':
      return said('info', `The trainer runs on ${line.device}.`);
    case 'prepared':
      return said('info', `${line.samples} ${made[kind]} are ready, for ${line.steps_total} steps.`);
    case 'started':
      return said(
        'info',
        line.resumed_step > 0 ? `Training goes on from step ${line.resumed_step}.` : 'Training begins.',
      );
    case 'progress':
      return null;
    case 'eval':
      return said(
        'info',
        `Evaluation at step ${line.step}${line.phase ? ` (${line.phase})` : ''}: ${numbers(line.metrics)}.`,
      );
    case 'checkpoint':
      return said('info', `Checkpoint at step ${line.step}.`);
    case 'warning':
      return said('warn', line.message);
    case 'artifact':
      return said('debug', `${line.name} is written.`);
    case 'finished':
      return said('info', 'The trainer has finished.');
    case 'cancelled':
      return said('info', 'The trainer has stopped.');
    case 'failed':
      // One whose server is gone ends, and the attempt goes on: whether that is an error is told by what becomes of the job.
      return said(line.error.code === 'worker_lost' ? 'warn' : 'error', line.error.message);
    default:
      return null;
  }
}

/** What examples become: one may make several. */
const made: Record<TrainingJob['kind'], string> = { text: 'sequences', embedding: 'pairs' };

const mostShown = 4;

function numbers(metrics: Record<string, number>): string {
  const shown = Object.entries(metrics).slice(0, mostShown);
  return shown.map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`).join(', ') || 'nothing measured';
}
