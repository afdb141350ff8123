import { hash } from 'node:crypto';
import type { CountingBasis, ItemCounter, TokenCount } from '#engine';
import type { ExampleContent, ExampleKind } from '../../content/example-content.ts';
import { countableOf } from '../../token-ruler.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { ColumnNotes } from './column-notes.ts';
import { evaluate } from './evaluate.ts';
import { type Judged, JudgedRows } from './judged.ts';

/** By what rows are judged: plain data, so that every thread can have it. */
export type Yardstick = {
  kind: ExampleKind;
  /** Null: nobody knows what the columns mean. */
  mapping: Mapping | null;
  /** Null: no model is installed that could count. */
  basis: CountingBasis | null;
  maxRowBytes: number;
};

/** Tokens of plain texts, by whoever has the tokeniser. */
export type CountTexts = (texts: readonly string[]) => Promise<ArrayLike<number>>;

export type JudgeDeps = {
  createItemCounter: (basis: CountingBasis, countAnew: (text: string) => number) => ItemCounter;
  countTexts: CountTexts;
};

export type RowsToJudge = { rows: Iterable<SourceRow>; lines: () => number };

/** Judges rows: what they are worth, and how many tokens they have. The same in every thread, and for every format. */
export class BlockJudge {
  readonly #yardstick: Yardstick;
  readonly #deps: JudgeDeps;
  readonly #counter: ItemCounter | null;
  /** Texts that somebody else has to count. */
  readonly #wanted = new Set<string>();
  #known: ReadonlyMap<string, number> = nothing;

  constructor(yardstick: Yardstick, deps: JudgeDeps) {
    this.#yardstick = yardstick;
    this.#deps = deps;
    this.#counter = yardstick.basis && deps.createItemCounter(yardstick.basis, (text) => this.#countAnew(text));
  }

  /** `memory` is for the examples. Rows are gone through at once; then tokens of words that are new may be waited for. */
  async judge({ rows, lines }: RowsToJudge, memory: ArrayBuffer): Promise<Judged> {
    const { kind, mapping } = this.#yardstick;
    const judged = new JudgedRows(memory);
    this.#wanted.clear();
    const columns = new ColumnNotes('some');
    const uncounted: Uncounted[] = [];
    for (const source of rows) {
      const { issues, example } = evaluate(source, kind, mapping);
      const row = judged.addRow(source);
      if (source.fields) columns.note(source.fields);
      if (issues.length > 0) judged.addIssues(row, issues);
      if (!example) continue;
      judged.addExample({ ...example, hash: hash('sha256', example.json, 'binary') });
      const count = this.#counted(example.content);
      if (count && !addCount(judged, { row, count })) uncounted.push({ row, count });
    }
    await this.#countRest(judged, uncounted);
    return judged.end({ lines: lines(), columns: columns.noted() });
  }

  #counted(content: ExampleContent): (() => TokenCount) | null {
    return this.#counter?.(countableOf(content)) ?? null;
  }

  #countAnew(text: string): number {
    const count = this.#known.get(text);
    if (count === undefined) this.#wanted.add(text);
    return count ?? Number.NaN;
  }

  /** Whoever has the tokeniser is asked once for all that lacks, while other blocks are judged. */
  async #countRest(judged: JudgedRows, uncounted: readonly Uncounted[]): Promise<void> {
    const known = new Map<string, number>();
    for (let rest = uncounted; rest.length > 0; ) {
      const texts = [...this.#wanted];
      this.#wanted.clear();
      const counts = await this.#deps.countTexts(texts);
      if (counts.length !== texts.length) throw new Error('Not every text was counted. This is a bug.');
      for (const [index, text] of texts.entries()) known.set(text, counts[index] ?? 0);
      this.#known = known;
      rest = rest.filter((each) => !addCount(judged, each));
      this.#known = nothing;
    }
  }
}

const nothing: ReadonlyMap<string, number> = new Map();

type Uncounted = { row: number; count: () => TokenCount };

function addCount(judged: JudgedRows, { row, count }: Uncounted): boolean {
  const counted = count();
  if (Number.isNaN(counted.tokens)) return false;
  judged.addTokens(row, counted);
  return true;
}
