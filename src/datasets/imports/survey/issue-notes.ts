import type { Issue, IssueCode } from '../../content/issues.ts';
import type { IssueSummary, SourceIssue } from '../import-record.ts';
import type { SourceRow } from '../reading/source-row.ts';

/** Issues that the list holds; the file holds more, but not without bound. */
const maxListed = 10_000;
const maxInFile = 1_000_000;

/** Counts all issues, lists the first ones and hands them on to a file. */
export class IssueNotes {
  readonly listed: SourceIssue[] = [];
  readonly #counts = new Map<IssueCode, IssueSummary>();
  readonly #write: (line: string) => void;
  #written = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  add(row: Pick<SourceRow, 'line' | 'byteOffset' | 'excerpt'>, issue: Issue): void {
    const known = this.#counts.get(issue.code);
    if (known) known.count++;
    else this.#counts.set(issue.code, { code: issue.code, count: 1, firstLine: row.line });
    if (this.#written >= maxInFile) return;
    const noted = {
      ...{ line: row.line, byte_offset: row.byteOffset, pointer: issue.pointer, code: issue.code },
      ...{ message: issue.message, hint: issue.hint, excerpt: row.excerpt() },
    };
    if (this.listed.length < maxListed) this.listed.push(noted);
    this.#write(`${JSON.stringify(noted)}\n`);
    this.#written++;
  }

  summary(): IssueSummary[] {
    return [...this.#counts.values()];
  }
}
