import type { NewLogLine } from '../logs/logs.store.ts';
import type { SnapshotManifest } from '../prepare/snapshot.ts';
import type { Problem } from '../prepare/snapshot-refused.ts';

const mostNamed = 5;

/** The first examples, each with what stands in its way. */
export function namedProblems(problems: readonly Problem[]): string {
  const named = problems.slice(0, mostNamed).map(({ exampleId, reason }) => `${exampleId}: ${reason}`);
  return named.join(' ');
}

/** Tells the owner of a job which examples it does not learn from. */
export function leftOutLines({ counts, control, leftOut = [] }: SnapshotManifest): NewLogLine[] {
  const lines: NewLogLine[] = [];
  const warn = (message: string) => lines.push({ level: 'warn', source: 'system', message });
  const left = counts.dropped.not_learnable ?? 0;
  if (left > 0)
    warn(
      `${left} of ${counts.examples} examples cannot be learned from, or not from all of their answers; these are left out. ${namedProblems(leftOut)}`,
    );
  const unmeasured = control?.notLearnable ?? 0;
  if (unmeasured > 0)
    warn(
      `${unmeasured} of ${control?.examples} examples of the control set cannot be measured, or not all of their answers; these are left out.`,
    );
  return lines;
}
