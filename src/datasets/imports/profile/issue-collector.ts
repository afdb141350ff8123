import type { Issue, IssueCode } from '../../content/issues.ts';
import type { ImportProfile, SourceIssue } from '../import-record.ts';
import type { SourceRow } from '../reading/source-row.ts';

/** Issues that the list of an import has; its file of issues has more, but not without bound. */
const maxListed = 10_000;
const maxInFile = 1_000_000;

export class IssueCollector {
  readonly listed: SourceIssue[] = [];
  readonly #summaries = new Map<IssueCode, ImportProfile['issues'][number]>();
  readonly #write: (line: string) => void;
  #written = 0;

  constructor(write: (line: string) => void) {
    this.#write = write;
  }

  add({ line, byteOffset, excerpt }: SourceRow, { pointer, code, message, hint }: Issue): void {
    const summary = this.#summaries.get(code);
    if (summary) summary.count++;
    else this.#summaries.set(code, { code, count: 1, first_line: line });
    if (this.#written >= maxInFile) return;
    const issue = { line, byte_offset: byteOffset, pointer, code, message, hint, excerpt: excerpt() };
    if (this.listed.length < maxListed) this.listed.push(issue);
    this.#write(`${JSON.stringify(issue)}\n`);
    this.#written++;
  }

  summary(): ImportProfile['issues'] {
    return [...this.#summaries.values()];
  }
}
