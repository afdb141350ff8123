import type { TokenCount } from '#engine';
import { contentHash, type ExampleContent, type ExampleKind } from '../../content/example-content.ts';
import type { Issue } from '../../content/issues.ts';
import { SeenHashes } from '../../content/seen-hashes.ts';
import type { TokenRuler } from '../../examples/new-examples.ts';
import type { ImportCounts, SampleRow, SourceIssue } from '../import-record.ts';
import type { Finding } from '../import-runs.store.ts';
import type { RowToKeep } from '../kept/keep-rows.ts';
import { type Detected, detectShape } from '../mapping/detect-shape.ts';
import { isMapping, type Mapping, readMapping, type WireMapping } from '../mapping/mapping.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { ColumnNotes } from './column-notes.ts';
import { type Evaluated, evaluate } from './evaluate.ts';
import { IssueNotes } from './issue-notes.ts';
import { TokenCounts } from './token-counts.ts';

export type SurveyOptions = {
  kind: ExampleKind;
  /** Null: the one that the detected shape asks for. */
  mapping: WireMapping | null;
  sampleRows: number;
  maxRows: number;
  /** Null: no model is installed that could count. */
  ruler: TokenRuler | null;
  /** Which of these contents the dataset has, as hashes in hex. */
  findExisting: (hashes: readonly Buffer[]) => Promise<ReadonlySet<string>>;
  writeIssue: (line: string) => void;
  /** Told of each row that makes an example. */
  keep?: (row: RowToKeep) => void;
  /** Told between batches; a rejection ends the survey. */
  onRows: (rows: number) => Promise<void>;
};

export type Survey = Finding & { issues: SourceIssue[]; tokens: TokenCounts };

/** Rows that previews can show, and how much of them is kept. */
const maxSampleRows = 50;
const maxSampleChars = 1_000_000;

/** Reads every row of a file and tells what is in it. */
export async function survey(file: OpenedFile, options: SurveyOptions): Promise<Survey> {
  const { kind, sampleRows } = options;
  const { first, rest } = await firstRows(file.rows, sampleRows);
  const fields = first.flatMap((row) => (row.fields ? [row.fields] : []));
  const detected = detectShape(kind, fields);
  const wire = options.mapping ?? detected.mapping;
  const mapping = wire && readMapping(wire, { kind, columns: null });
  const state = new SurveyState(options, mapping && isMapping(mapping) ? mapping : null);
  await state.takeAll(rest);
  return state.finding(file, { detected, wire });
}

/** The first rows, and all rows. */
async function firstRows(
  rows: AsyncIterable<SourceRow[]>,
  wanted: number,
): Promise<{ first: SourceRow[]; rest: AsyncIterable<SourceRow[]> }> {
  const iterator = rows[Symbol.asyncIterator]();
  const batches: SourceRow[][] = [];
  let seen = 0;
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    batches.push(next.value);
    seen += next.value.length;
    if (seen >= wanted) break;
  }
  const first = batches.flat().slice(0, wanted);
  async function* rest(): AsyncGenerator<SourceRow[]> {
    try {
      yield* batches.splice(0);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { first, rest: rest() };
}

/** Batches of which the counts are waited for. */
const batchesAhead = 3;

/** A row on its way through the survey; `hash` and `isFirst`: of its content. */
type Noted = { row: SourceRow; issues: Issue[]; hash: Buffer | null; isFirst: boolean };
type Counted = { noted: Noted[]; counting: Promise<TokenCount[]> };

class SurveyState {
  readonly #options: SurveyOptions;
  readonly #mapping: Mapping | null;
  readonly #columns = new ColumnNotes();
  readonly #issues: IssueNotes;
  readonly #seen = new SeenHashes();
  #noted = 0;
  readonly #tokens = new TokenCounts();
  readonly #sample: SampleRow[] = [];
  #sampleChars = 0;
  readonly #counts: ImportCounts = { rows: 0, valid: 0, invalid: 0, duplicates: 0, overTokenLimit: 0 };

  constructor(options: SurveyOptions, mapping: Mapping | null) {
    this.#options = options;
    this.#mapping = mapping;
    this.#issues = new IssueNotes(options.writeIssue);
  }

  async takeAll(batches: AsyncIterable<SourceRow[]>): Promise<void> {
    const { kind, onRows } = this.#options;
    // Tokens are counted elsewhere while the next batches are read here.
    const waiting: Counted[] = [];
    for await (const rows of batches) {
      const evaluated = rows.map((row) => evaluate(row, kind, this.#mapping));
      const counting = this.#count(evaluated.flatMap(({ example }) => (example ? [example.content] : [])));
      // It is waited for later, or never.
      counting.catch(() => {});
      waiting.push({ noted: evaluated.map((each) => this.#note(each)), counting });
      const first = waiting.length > batchesAhead ? waiting.shift() : undefined;
      if (first) await this.#take(first);
      await onRows(this.#counts.rows);
    }
    for (const each of waiting) await this.#take(each);
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

  async #count(contents: readonly ExampleContent[]): Promise<TokenCount[]> {
    const { ruler } = this.#options;
    return ruler && contents.length > 0 ? ruler.count(contents) : [];
  }

  /** Contents are kept before their tokens are counted, so that they need not stay in memory. */
  #note({ row, issues, example }: Evaluated): Noted {
    const place = this.#noted++;
    if (!example) return { row, issues, hash: null, isFirst: false };
    const { json, split } = example;
    const hash = contentHash(json);
    const isFirst = this.#seen.add(hash);
    this.#options.keep?.({ row: place, hash, json, split, isFirst });
    return { row, issues, hash, isFirst };
  }

  async #take({ noted, counting }: Counted): Promise<void> {
    const hashes = noted.flatMap(({ hash }) => (hash ? [hash] : []));
    const [existing, tokens] = await Promise.all([this.#options.findExisting(hashes), counting]);
    let counted = 0;
    for (const each of noted) {
      const { hash, isFirst } = each;
      const isDuplicate = hash !== null && (!isFirst || (existing.size > 0 && existing.has(hash.toString('hex'))));
      this.#takeRow(each, { isDuplicate, tokens: hash ? (tokens[counted++] ?? null) : null });
    }
    this.#refuseTooMany();
  }

  #takeRow(
    { row, issues, hash }: Noted,
    { isDuplicate, tokens }: { isDuplicate: boolean; tokens: TokenCount | null },
  ): void {
    const counts = this.#counts;
    counts.rows++;
    if (row.fields) this.#columns.note(row.fields);
    this.#tokens.push(tokens);
    const all = [...issues, ...this.#moreIssues({ isDuplicate, tokens })];
    for (const issue of all) this.#issues.add(row, issue);
    if (hash) counts.valid++;
    else if (issues.length > 0) counts.invalid++;
    if (isDuplicate) counts.duplicates++;
    this.#keep(row, { isDuplicate, tokens });
  }

  #moreIssues({ isDuplicate, tokens }: { isDuplicate: boolean; tokens: TokenCount | null }): Issue[] {
    const issues: Issue[] = [];
    const maxTokens = this.#options.ruler?.maxTokens;
    if (isDuplicate)
      issues.push({ code: 'duplicate', pointer: '', message: 'The same example is there already.', hint: null });
    if (tokens !== null && maxTokens !== undefined && tokens.longest > maxTokens) {
      this.#counts.overTokenLimit++;
      const message = `It has a text of ${tokens.longest} tokens and the model takes ${maxTokens}, so no version will have it.`;
      issues.push({ code: 'over_token_limit', pointer: '', message, hint: 'Shorten it or divide it.' });
    }
    return issues;
  }

  #keep(
    { line, byteOffset, fields, problem, excerpt }: SourceRow,
    facts: { isDuplicate: boolean; tokens: TokenCount | null },
  ): void {
    if (this.#sample.length >= maxSampleRows || this.#sampleChars > maxSampleChars) return;
    const chars = fields === null ? 0 : JSON.stringify(fields).length;
    if (this.#sampleChars + chars > maxSampleChars) return;
    this.#sampleChars += chars;
    const told = problem && { ...problem, hint: problem.hint ?? null };
    this.#sample.push({
      line,
      byteOffset,
      fields: fields && { ...fields },
      problem: told,
      excerpt: excerpt(),
      isDuplicate: facts.isDuplicate,
      tokens: facts.tokens?.tokens ?? null,
    });
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
