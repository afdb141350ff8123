import { storable } from '#kernel';
import type { TrainingJob } from '../jobs/job.ts';
import type { LogLevel, NewLogLine } from '../logs/logs.store.ts';
import type { ExampleProblem, SnapshotManifest } from '../prepare/snapshot.ts';
import { isEvent, type RunnerLine } from '../runners/runner.ts';

export function logLineOf(line: RunnerLine, kind: TrainingJob['kind']): NewLogLine | null {
  if (!isEvent(line)) {
    const source = line.line === 0 ? 'system' : 'trainer';
    return line.text.trim() === '' ? null : { level: 'debug', source, message: storable(line.text), data: null };
  }
  const { seq: _seq, t: _t, ...data } = line;
  const logLine = (level: LogLevel, message: string): NewLogLine => ({
    level,
    source: 'trainer',
    message: storable(message),
    data,
  });
  switch (line.event) {
    case 'hello':
      return logLine('info', `The trainer runs on ${line.device}.`);
    case 'prepared':
      return logLine('info', `${line.samples} ${sampleNames[kind]} are ready, for ${line.steps_total} steps.`);
    case 'started':
      return logLine(
        'info',
        line.resumed_step > 0 ? `Training goes on from step ${line.resumed_step}.` : 'Training begins.',
      );
    case 'progress':
      return null;
    case 'eval':
      return logLine(
        'info',
        `Evaluation at step ${line.step}${line.phase ? ` (${line.phase})` : ''}: ${numbers(line.metrics)}.`,
      );
    case 'checkpoint':
      return logLine('info', `Checkpoint at step ${line.step}.`);
    case 'warning':
      return logLine('warn', line.message);
    case 'artifact':
      return logLine('debug', `${line.name} is written.`);
    case 'finished':
      return logLine('info', 'The trainer has finished.');
    case 'cancelled':
      return logLine('info', 'The trainer has stopped.');
    case 'failed':
      // One whose server is gone ends, and the attempt goes on: whether that is an error depends on what becomes of the job.
      return logLine(line.error.code === 'worker_lost' ? 'warn' : 'error', line.error.message);
    default:
      return null;
  }
}

/** An example may become several of these. */
const sampleNames: Record<TrainingJob['kind'], string> = { text: 'sequences', embedding: 'pairs' };

const maxShown = 4;

function numbers(metrics: Record<string, number>): string {
  const shown = Object.entries(metrics).slice(0, maxShown);
  return shown.map(([name, value]) => `${name} ${Number(value.toPrecision(4))}`).join(', ') || 'nothing measured';
}

const maxNamed = 5;

export function problemTexts(problems: readonly ExampleProblem[]): string {
  const named = problems.slice(0, maxNamed).map(({ exampleId, reason }) => `${exampleId}: ${reason}`);
  return named.join(' ');
}

export function droppedExampleLines({ counts, control, problems = [] }: SnapshotManifest): NewLogLine[] {
  const lines: NewLogLine[] = [];
  const warn = (message: string) => lines.push({ level: 'warn', source: 'system', message });
  const left = counts.dropped.not_learnable ?? 0;
  if (left > 0)
    warn(
      `${left} of ${counts.examples} examples cannot be learned from, or not from all of their answers; these are left out. ${problemTexts(problems)}`,
    );
  const unmeasured = control?.notLearnable ?? 0;
  if (unmeasured > 0)
    warn(
      `${unmeasured} of ${control?.examples} examples of the regression check cannot be measured, or not all of their answers; these are left out.`,
    );
  return lines;
}
