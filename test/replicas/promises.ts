import type { Audit } from '../chaos/accounting.ts';
import type { JobAudit } from '../chaos/job-books.ts';
import type { KeyReport } from './keys.ts';
import type { LimitReport } from './limits.ts';
import type { OutcomesReport } from './outcomes.ts';
import type { Pause } from './pauses.ts';
import type { SteadfastReport } from './steadfast.ts';

export type Findings = {
  books: Audit;
  outcomes: OutcomesReport;
  /** Successes of calls that only the remote engine can answer. */
  remote: { successes: number };
  pauses: Pause[];
  steadfast: SteadfastReport & { charges: number };
  keys: KeyReport;
  limit: LimitReport;
  jobs: JobAudit & { asked: number };
};

/** What was promised and did not hold; empty: all is well. */
export function promisesBroken({ books, outcomes, remote, steadfast, keys, limit, jobs }: Findings): string[] {
  const promises: [boolean, string][] = [
    [books.unpaid === 0, `${books.unpaid} successes were not charged`],
    [books.double === 0, `${books.double} calls were charged twice`],
    [books.wronglyPaid === 0, `${books.wronglyPaid} failures were charged`],
    [books.rejectedKeys === 0, `${books.rejectedKeys} calls with a good key were refused as unknown`],
    [books.findings.length === 0, `the doctor found ${books.findings.length} problems`],
    [books.successes > 0, 'no call succeeded'],
    [remote.successes > 0, 'no call of the remote engine succeeded'],
    [outcomes.wrong.length === 0, `of unknown calls was told wrongly: ${outcomes.wrong.join('; ')}`],
    [steadfast.answered === steadfast.asked, `${steadfast.asked - steadfast.answered} calls were never answered`],
    [steadfast.charges === steadfast.answered, `${steadfast.answered} answers have ${steadfast.charges} charges`],
    [keys.revived.length === 0, `deleted keys let in by ${keys.revived.join(', ')}`],
    [keys.deleted > 0, 'no key was deleted'],
    [limit.passed === limit.allowed, `${limit.passed} calls passed a limit of ${limit.allowed}`],
    [limit.other === 0, `${limit.other} calls under a limit had another end`],
    [limit.stillRunning === 0, `${limit.stillRunning} ended calls count as running`],
    [jobs.succeeded === jobs.asked, `${jobs.succeeded} of ${jobs.asked} jobs are as they should be`],
    [jobs.broken.length === 0, `of jobs: ${jobs.broken.join('; ')}`],
  ];
  return promises.filter(([isKept]) => !isKept).map(([, text]) => text);
}
