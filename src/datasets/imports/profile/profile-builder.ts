import type { TokenCount } from '#engine';
import { SeenHashes } from '#kernel';
import type { ExampleKind } from '../../content/example-content.ts';
import type { Issue } from '../../content/issues.ts';
import { type ExampleTokenCounter, issuesOf } from '../../examples/new-examples.ts';
import { noRows, type RowCounts, type SampleRow, type SourceIssue } from '../import-record.ts';
import type { ProfileResult } from '../import-runs.store.ts';
import type { DetectedShape } from '../mapping/detect-shape.ts';
import type { WireMapping } from '../mapping/mapping.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { ColumnStatistics } from './column-statistics.ts';
import { IssueCollector } from './issue-collector.ts';
import { TokenCounts } from './token-counts.ts';
import type { RowExample } from './validate-row.ts';

export type ProfileOptions = {
  kind: ExampleKind;
  /** Null: the one that fits the detected shape. */
  mapping: WireMapping | null;
  sampleRows: number;
  maxRows: number;
  tokenCounter: ExampleTokenCounter | null;
  /** Which of these contents the dataset has, as hashes in hex; null: there is no dataset yet. */
  findExisting: ((hashes: readonly Buffer[]) => Promise<ReadonlySet<string>>) | null;
  writeIssue: (line: string) => void;
  /** Called between batches of rows; an error ends the profile. */
  onProgress: (rows: number) => void;
};

/** A validated row with what was looked up of its example. */
export type ProfiledRow = {
  row: SourceRow;
  issues: Issue[];
  example: ProfiledExample | null;
};

type ProfiledExample = RowExample & {
  hash: Buffer;
  tokens: TokenCount | null;
  /** The dataset has it already. */
  exists: boolean;
};

export type FileProfile = ProfileResult & { issues: SourceIssue[]; tokens: TokenCounts };

/** Rows that previews can show, and how much of them is stored. */
const maxSampleRows = 50;
const maxSampleChars = 1_000_000;

const inDataset: Issue = {
  code: 'duplicate',
  pointer: '',
  message: 'The dataset has the same example already.',
  hint: null,
};
const inFile: Issue = {
  code: 'duplicate_in_file',
  pointer: '',
  message: 'The same example is in an earlier row of this file.',
  hint: null,
};

export class ProfileBuilder {
  readonly #options: Pick<ProfileOptions, 'tokenCounter' | 'writeIssue' | 'maxRows'>;
  readonly #columns = new ColumnStatistics();
  readonly #issues: IssueCollector;
  readonly #seen = new SeenHashes();
  readonly #tokens = new TokenCounts();
  readonly #sample: SampleRow[] = [];
  #sampleChars = 0;
  readonly #counts: RowCounts = { ...noRows };

  constructor(options: ProfileOptions) {
    this.#options = options;
    this.#issues = new IssueCollector(options.writeIssue);
  }

  get rows(): number {
    return this.#counts.rows;
  }

  add(rows: readonly ProfiledRow[]): void {
    for (const row of rows) this.#addRow(row);
    const { maxRows } = this.#options;
    if (this.#counts.rows > maxRows)
      throw new ImportFailure('too_many_rows', `The file has more than ${maxRows} rows.`, {
        details: { param: 'rows', limit: maxRows, actual: this.#counts.rows },
        hint: 'Divide it.',
      });
  }

  finish(
    file: OpenedFile,
    { detected, mapping }: { detected: DetectedShape; mapping: WireMapping | null },
  ): FileProfile {
    const { format, encoding, delimiter, gzip, sheet, sheets } = file;
    if (this.#counts.rows === 0) throw new ImportFailure('empty_file', 'The file has no rows.');
    return {
      profile: {
        format,
        encoding,
        delimiter,
        gzip,
        sheet,
        sheets: [...sheets],
        columns: this.#columns.profile(),
        detected_shape: detected.shape,
        suggested_mapping: detected.mapping,
        rows: this.#counts.rows,
        valid: this.#counts.valid,
        invalid: this.#counts.invalid,
        duplicates: this.#counts.duplicates,
        token_stats: this.#tokens.summary(),
        token_histogram: this.#tokens.histogram(),
        issues: this.#issues.summary(),
      },
      counts: this.#counts,
      sample: this.#sample,
      mapping,
      issues: this.#issues.listed,
      tokens: this.#tokens,
    };
  }

  #addRow({ row, issues: found, example }: ProfiledRow): void {
    const counts = this.#counts;
    const tokens = example?.tokens ?? null;
    const issues = example ? [...found, ...this.#issuesOf(example)] : found;
    if (row.fields) this.#columns.add(row.fields);
    for (const issue of issues) this.#issues.add(row, issue);
    this.#tokens.push(tokens);
    counts.rows++;
    if (example) counts.valid++;
    else if (found.length > 0) counts.invalid++;
    this.#addSample(row, { issues, tokens: tokens?.tokens ?? null });
  }

  /** What an example has beside the issues of its row; also counts it among the duplicates and those too long. */
  #issuesOf(example: ProfiledExample): Issue[] {
    const { hash, tokens, exists } = example;
    const maxTokens = this.#options.tokenCounter?.maxTokens ?? null;
    const isFirst = this.#seen.add(hash);
    const issues = issuesOf(tokens, maxTokens);
    if (tokens !== null && maxTokens !== null && tokens.longest > maxTokens) this.#counts.over_token_limit++;
    if (isFirst && !exists) return issues;
    this.#counts.duplicates++;
    return [...issues, exists ? inDataset : inFile];
  }

  #addSample({ line, byteOffset, fields, excerpt }: SourceRow, found: Pick<SampleRow, 'issues' | 'tokens'>): void {
    if (this.#sample.length >= maxSampleRows || this.#sampleChars > maxSampleChars) return;
    const chars = fields === null ? 0 : JSON.stringify(fields).length;
    if (this.#sampleChars + chars > maxSampleChars) return;
    this.#sampleChars += chars;
    this.#sample.push({ line, byteOffset, fields, excerpt: excerpt(), ...found });
  }
}
