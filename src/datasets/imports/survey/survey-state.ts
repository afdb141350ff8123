import type { TokenCount } from '#engine';
import { SeenHashes } from '#kernel';
import type { Issue } from '../../content/issues.ts';
import type { ImportCounts, SampleRow } from '../import-record.ts';
import { hashBytes } from '../kept/kept-format.ts';
import type { Detected } from '../mapping/detect-shape.ts';
import type { WireMapping } from '../mapping/mapping.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { ColumnNotes } from './column-notes.ts';
import { IssueNotes } from './issue-notes.ts';
import { type Judged, type RowFacts, readFacts } from './judged.ts';
import type { RowSource } from './row-block.ts';
import type { Survey, SurveyOptions } from './survey-options.ts';
import { TokenCounts } from './token-counts.ts';

/** Rows that previews can show, and how much of them is kept. */
const maxSampleRows = 50;
const maxSampleChars = 1_000_000;

type Findings = Pick<SurveyOptions, 'ruler' | 'findExisting' | 'writeIssue' | 'keep' | 'maxRows'>;

/** Takes what was judged in the order of the file, and knows what is in the file so far. */
export class SurveyState {
  readonly #options: Findings;
  readonly #columns = new ColumnNotes('all');
  readonly #issues: IssueNotes;
  readonly #seen = new SeenHashes();
  readonly #tokens = new TokenCounts();
  readonly #sample: SampleRow[] = [];
  #sampleChars = 0;
  readonly #counts: ImportCounts = { rows: 0, valid: 0, invalid: 0, duplicates: 0, overTokenLimit: 0 };

  constructor(options: Findings) {
    this.#options = options;
    this.#issues = new IssueNotes(options.writeIssue);
  }

  get rows(): number {
    return this.#counts.rows;
  }

  async take(judged: Judged, source: RowSource): Promise<void> {
    const existing = await this.#existing(judged);
    this.#noteColumns(judged, source);
    const issues = judged.issues[Symbol.iterator]();
    let next = issues.next();
    let row = 0;
    for (const facts of readFacts(judged)) {
      const own = !next.done && next.value.row === row ? next.value.issues : noIssues;
      if (own !== noIssues) next = issues.next();
      this.#takeRow({ row, facts, own, isDuplicate: this.#isDuplicate(judged, facts, existing) }, source);
      row++;
    }
    this.#refuseTooMany();
  }

  finding(file: OpenedFile, { detected, wire }: { detected: Detected; wire: WireMapping | null }): Survey {
    const { format, encoding, delimiter, gzip } = file;
    if (this.#counts.rows === 0) throw new ImportFailure('empty_file', 'The file has no rows.');
    return {
      profile: {
        ...{ format, encoding, delimiter, gzip },
        columns: this.#columns.profile(),
        shape: detected.shape,
        suggestedMapping: detected.mapping,
        counts: this.#counts,
        tokenStats: this.#tokens.summary(),
        tokenHistogram: this.#tokens.histogram(),
        issues: this.#issues.summary(),
      },
      sample: this.#sample,
      mapping: wire,
      issues: this.#issues.listed,
      tokens: this.#tokens,
    };
  }

  #noteColumns(judged: Judged, source: RowSource): void {
    if (judged.columns) {
      this.#columns.add(judged.columns);
      return;
    }
    let row = 0;
    for (const facts of readFacts(judged)) {
      const { fields } = source.read(row++, facts);
      if (fields) this.#columns.note(fields);
    }
  }

  async #existing(judged: Judged): Promise<ReadonlySet<string>> {
    const { findExisting } = this.#options;
    if (!findExisting) return nothing;
    const hashes: Buffer[] = [];
    for (const { example } of readFacts(judged))
      if (example) hashes.push(judged.examples.subarray(example.at, example.at + hashBytes));
    return findExisting(hashes);
  }

  /** Remembers and keeps an example; whether its content is there already, in the file or in the dataset. */
  #isDuplicate({ examples }: Judged, { example }: RowFacts, existing: ReadonlySet<string>): boolean {
    if (!example) return false;
    const { split, at, end } = example;
    const isFirst = this.#seen.add(examples, at);
    this.#options.keep?.({ row: this.#counts.rows, bytes: examples, at, end, split, isFirst });
    return !isFirst || (existing.size > 0 && existing.has(examples.toString('hex', at, at + hashBytes)));
  }

  #takeRow({ row, facts, own, isDuplicate }: RowInHand, source: RowSource): void {
    const counts = this.#counts;
    const tokens = facts.example?.tokens ?? null;
    counts.rows++;
    const problem = own.find(({ code }) => code === 'not_learnable')?.message;
    this.#tokens.push(tokens && problem !== undefined ? { ...tokens, problem } : tokens);
    const all = isDuplicate || this.#isTooLong(tokens) ? [...own, ...this.#moreIssues({ isDuplicate, tokens })] : own;
    if (all.length > 0) {
      const place = source.place(row, facts);
      for (const issue of all) this.#issues.add(place, issue);
    }
    if (facts.example) counts.valid++;
    else if (own.length > 0) counts.invalid++;
    if (isDuplicate) counts.duplicates++;
    if (this.#sample.length < maxSampleRows && this.#sampleChars <= maxSampleChars)
      this.#keepSample(source.read(row, facts), { issues: [...all], tokens: tokens?.tokens ?? null });
  }

  #isTooLong(tokens: TokenCount | null): tokens is TokenCount {
    const maxTokens = this.#options.ruler?.maxTokens;
    return tokens !== null && maxTokens !== undefined && tokens.longest > maxTokens;
  }

  #moreIssues({ isDuplicate, tokens }: { isDuplicate: boolean; tokens: TokenCount | null }): Issue[] {
    const issues: Issue[] = [];
    if (isDuplicate)
      issues.push({ code: 'duplicate', pointer: '', message: 'The same example is there already.', hint: null });
    if (this.#isTooLong(tokens)) {
      this.#counts.overTokenLimit++;
      const maxTokens = this.#options.ruler?.maxTokens;
      const message = `It has a text of ${tokens.longest} tokens and the model takes ${maxTokens}, so no version will have it.`;
      issues.push({ code: 'over_token_limit', pointer: '', message, hint: 'Shorten it or divide it.' });
    }
    return issues;
  }

  #keepSample({ line, byteOffset, fields, excerpt }: SourceRow, found: Pick<SampleRow, 'issues' | 'tokens'>): void {
    const chars = fields === null ? 0 : JSON.stringify(fields).length;
    if (this.#sampleChars + chars > maxSampleChars) return;
    this.#sampleChars += chars;
    this.#sample.push({ line, byteOffset, fields, excerpt: excerpt(), ...found });
  }

  #refuseTooMany(): void {
    const { maxRows } = this.#options;
    if (this.#counts.rows <= maxRows) return;
    throw new ImportFailure('too_many_rows', `The file has more than ${maxRows} rows.`, {
      details: { param: 'rows', limit: maxRows, actual: this.#counts.rows },
      hint: 'Divide it.',
    });
  }
}

const noIssues: readonly Issue[] = [];
const nothing: ReadonlySet<string> = new Set();

type RowInHand = { row: number; facts: RowFacts; own: readonly Issue[]; isDuplicate: boolean };
