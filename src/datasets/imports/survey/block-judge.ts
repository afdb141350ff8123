import type { ChatMessage, Countable, CountingBasis, ItemCounter, TokenCount } from '#engine';
import type { ExampleKind } from '../../content/example-content.ts';
import type { Issue } from '../../content/issues.ts';
import { notLearnable } from '../../examples/new-examples.ts';
import { countableOf } from '../../token-ruler.ts';
import type { Mapping } from '../mapping/mapping.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { ColumnNotes } from './column-notes.ts';
import { evaluate } from './evaluate.ts';
import { type Judged, JudgedRows } from './judged.ts';
import { createPlainRows, type PlainMessage, type PlainRow } from './plain/plain-rows.ts';
import { mostBytesOf, writePlain } from './plain/write-plain.ts';
import { type RowBlock, usualRowsOf } from './row-block.ts';

/** The rules by which rows are judged, as plain data that can be sent to threads. */
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

/**
 * Judges rows: whether each makes a valid example, its issues and its tokens. The result is the same in every thread
 * and for every format.
 */
export class BlockJudge {
  readonly #yardstick: Yardstick;
  readonly #deps: JudgeDeps;
  readonly #counter: ItemCounter | null;
  readonly #plainRows: ReturnType<typeof createPlainRows>;
  /** Texts whose tokens must be counted by the process that has the tokeniser. */
  readonly #wanted = new Set<string>();
  #known: ReadonlyMap<string, number> = nothing;

  constructor(yardstick: Yardstick, deps: JudgeDeps) {
    this.#yardstick = yardstick;
    this.#deps = deps;
    this.#counter = yardstick.basis && deps.createItemCounter(yardstick.basis, (text) => this.#countAnew(text));
    this.#plainRows = createPlainRows(yardstick.mapping);
  }

  /** `memory` is for the examples. Rows are gone through at once; then tokens of words that are new may be waited for. */
  async judge(block: RowBlock, memory: ArrayBuffer): Promise<Judged> {
    this.#wanted.clear();
    const text = block.type === 'lines' ? block.block.buffer.subarray(0, block.block.bytes) : noText;
    const hand: InHand = { text, judged: new JudgedRows(memory), columns: new ColumnNotes('some'), uncounted: [] };
    const readPlain = this.#plainRows?.(text, hand.columns) ?? null;
    const { rows, lines } = usualRowsOf(block, this.#yardstick.maxRowBytes, readPlain);
    for (const source of rows)
      if ('messages' in source) this.#judgePlain(hand, source);
      else this.#judgeRow(hand, source);
    await this.#countRest(hand.judged, hand.uncounted);
    return hand.judged.end({ lines: lines(), columns: hand.columns.noted() });
  }

  #judgeRow(hand: InHand, source: SourceRow): void {
    const { kind, mapping } = this.#yardstick;
    const { judged, columns } = hand;
    const { issues, example } = evaluate(source, kind, mapping);
    const row = judged.addRow(source);
    if (source.fields) columns.note(source.fields);
    if (example) judged.addExample(example);
    this.#tell(hand, { row, issues, item: example && countableOf(example.content) });
  }

  #judgePlain(hand: InHand, source: PlainRow): void {
    const { text, judged, columns } = hand;
    const row = judged.addRow(source);
    columns.note(source.fields);
    const { messages, split } = source;
    const mostBytes = mostBytesOf(messages);
    judged.addWritten({ split, mostBytes, write: (into, at) => writePlain(messages, text, into, at) });
    this.#tell(hand, { row, issues: [], item: { type: 'conversation', messages: messages.map(spoken), tools: [] } });
  }

  /** Notes the issues of a row, and the tokens of the example that it makes. */
  #tell(
    { judged, uncounted }: InHand,
    { row, issues, item }: { row: number; issues: Issue[]; item: Countable | null },
  ) {
    const prepared = item && this.#counter?.(item);
    const problem = prepared ? prepared.problem() : null;
    const all = problem === null ? issues : [...issues, notLearnable(problem)];
    if (all.length > 0) judged.addIssues(row, all);
    if (!prepared) return;
    const { count } = prepared;
    if (!addCount(judged, { row, count })) uncounted.push({ row, count });
  }

  #countAnew(text: string): number {
    const count = this.#known.get(text);
    if (count === undefined) this.#wanted.add(text);
    return count ?? Number.NaN;
  }

  /** Asks the process that has the tokeniser once for all missing counts; other blocks are judged meanwhile. */
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
const noText = Buffer.alloc(0);

/** What becomes of the rows of a block. */
type InHand = { text: Buffer; judged: JudgedRows; columns: ColumnNotes; uncounted: Uncounted[] };

/** In the words of the engine. */
function spoken({ role, content: { text: content } }: PlainMessage): ChatMessage {
  return role === 'assistant' ? { role, content, reasoning: null, toolCalls: [] } : { role, content };
}

type Uncounted = { row: number; count: () => TokenCount };

function addCount(judged: JudgedRows, { row, count }: Uncounted): boolean {
  const counted = count();
  if (Number.isNaN(counted.tokens)) return false;
  judged.addTokens(row, counted);
  return true;
}
