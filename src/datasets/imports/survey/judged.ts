import { hash } from 'node:crypto';
import type { TokenCount } from '#engine';
import type { ExampleContent } from '../../content/example-content.ts';
import type { Issue } from '../../content/issues.ts';
import { contentHeadBytes, drawnAt, drawnBytes } from '../kept/kept-format.ts';
import type { SourceRow } from '../reading/source-row.ts';
import type { NotedColumns } from './column-notes.ts';
import { drawnFrom, drawnPlace } from './draw-split.ts';

/** What is told of some rows after each other, in few pieces of memory: it is handed from thread to thread. */
export type Judged = {
  rows: number;
  /** Of the text that they were read from. */
  lines: number;
  /** `factsPerRow` of each row. */
  facts: Uint32Array<ArrayBuffer>;
  /** Of each row that makes an example its hash and what its split is drawn from, with room for all of the head with which it is kept, and its canonical JSON. */
  examples: Buffer<ArrayBuffer>;
  /** Of the rows that have any. */
  issues: { row: number; issues: Issue[] }[];
  /** Null: there are so many that whoever knows the rows before has to look at these. */
  columns: NotedColumns | null;
};

export type RowFacts = {
  /** Where its block has it. */
  line: number;
  at: number;
  /** Null: it makes no example. */
  example: ExampleFacts | null;
};

export type ExampleFacts = {
  split: 'train' | 'test' | null;
  /** Null: there is nobody to count. */
  tokens: TokenCount | null;
  /** Where its hash begins among the examples, and where its JSON ends. */
  at: number;
  end: number;
};

type WrittenExample = {
  split: ExampleFacts['split'];
  mostBytes: number;
  write: (into: Buffer, at: number) => number;
};

type Ending = { bytes: number; split: ExampleFacts['split']; sha256: string; drawnFrom: string };

const factsPerRow = 6;
const marks = { example: 1, train: 2, test: 4, counted: 8 } as const;
const firstRows = 1_024;

/** Writes down what is judged, row after row. */
export class JudgedRows {
  #facts = new Uint32Array(firstRows * factsPerRow);
  #examples: Buffer<ArrayBuffer>;
  #used = 0;
  #rows = 0;
  readonly #issues: Judged['issues'] = [];

  /** The memory for examples; more is taken where it is too small. */
  constructor(memory: ArrayBuffer) {
    this.#examples = Buffer.from(memory);
  }

  /** Returns its number. */
  addRow({ line, byteOffset }: Pick<SourceRow, 'line' | 'byteOffset'>): number {
    const row = this.#rows++;
    const at = row * factsPerRow;
    if (at + factsPerRow > this.#facts.length) {
      const larger = new Uint32Array(this.#facts.length * 2);
      larger.set(this.#facts);
      this.#facts = larger;
    }
    this.#facts[at] = line;
    this.#facts[at + 1] = byteOffset ?? 0;
    return row;
  }

  addIssues(row: number, issues: Issue[]): void {
    this.#issues.push({ row, issues });
  }

  /** Of the row that was added last. */
  addExample({ json, split, content }: { json: string; split: ExampleFacts['split']; content: ExampleContent }): void {
    // A unit of a text takes at most three bytes, so that most need not be measured.
    if (!this.#hasRoom(json.length * 3)) this.#makeRoom(Buffer.byteLength(json));
    const bytes = this.#examples.write(json, this.#used + contentHeadBytes);
    const sha256 = hash('sha256', json, 'binary');
    this.#end({ bytes, split, sha256, drawnFrom: drawnFrom(content, sha256) });
  }

  /** The same for JSON that is written here; `write` returns where it ends. */
  addWritten({ split, mostBytes, write }: WrittenExample): void {
    this.#makeRoom(mostBytes);
    const from = this.#used + contentHeadBytes;
    const end = write(this.#examples, from);
    const sha256 = hash('sha256', this.#examples.subarray(from, end), 'binary');
    this.#end({ bytes: end - from, split, sha256, drawnFrom: sha256 });
  }

  /** The digests as characters, one for each byte. */
  #end({ bytes, split, sha256, drawnFrom: digest }: Ending): void {
    this.#examples.write(sha256, this.#used, 'latin1');
    this.#examples.write(digest.slice(drawnPlace, drawnPlace + drawnBytes), this.#used + drawnAt, 'latin1');
    this.#used += contentHeadBytes + bytes;
    const at = (this.#rows - 1) * factsPerRow;
    this.#facts[at + 2] = (this.#facts[at + 2] ?? 0) | marks.example | (split === null ? 0 : marks[split]);
    this.#facts[at + 3] = bytes;
  }

  addTokens(row: number, { tokens, longest }: TokenCount): void {
    const at = row * factsPerRow;
    this.#facts[at + 2] = (this.#facts[at + 2] ?? 0) | marks.counted;
    this.#facts[at + 4] = tokens;
    this.#facts[at + 5] = longest;
  }

  end({ lines, columns }: Pick<Judged, 'lines' | 'columns'>): Judged {
    return {
      ...{ rows: this.#rows, lines, issues: this.#issues, columns },
      facts: this.#facts.slice(0, this.#rows * factsPerRow),
      examples: this.#examples.subarray(0, this.#used),
    };
  }

  #hasRoom(bytes: number): boolean {
    return this.#used + contentHeadBytes + bytes <= this.#examples.length;
  }

  #makeRoom(bytes: number): void {
    if (this.#hasRoom(bytes)) return;
    const needed = this.#used + contentHeadBytes + bytes;
    const larger = Buffer.from(new ArrayBuffer(Math.max(needed, this.#examples.length * 2)));
    this.#examples.copy(larger, 0, 0, this.#used);
    this.#examples = larger;
  }
}

/** The facts of all rows, one after the other. */
export function* readFacts({ rows, facts }: Judged): Generator<RowFacts> {
  let at = 0;
  for (let place = 0; place < rows * factsPerRow; place += factsPerRow) {
    const mark = facts[place + 2] ?? 0;
    const example = (mark & marks.example) === 0 ? null : exampleOf(facts, place, at);
    yield { line: facts[place] ?? 0, at: facts[place + 1] ?? 0, example };
    at = example?.end ?? at;
  }
}

function exampleOf(facts: Uint32Array, place: number, at: number): ExampleFacts {
  const mark = facts[place + 2] ?? 0;
  const isCounted = (mark & marks.counted) !== 0;
  const tokens = isCounted ? { tokens: facts[place + 4] ?? 0, longest: facts[place + 5] ?? 0 } : null;
  return { split: splitOf(mark), tokens, at, end: at + contentHeadBytes + (facts[place + 3] ?? 0) };
}

function splitOf(mark: number): ExampleFacts['split'] {
  if ((mark & marks.train) !== 0) return 'train';
  return (mark & marks.test) !== 0 ? 'test' : null;
}
