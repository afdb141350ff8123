import { isExactNumber } from '#kernel';
import type { ColumnProfile } from '../import-record.ts';

type Note = { types: Set<string>; present: number; samples: string[] };
type Row = Readonly<Record<string, unknown>>;

/** What was noted of some rows, to be put together with what was noted of others. */
export type NotedColumns = { rows: number; columns: (Note & { name: string })[] };

const maxSamples = 3;
const maxSampleChars = 200;
/** Columns of a profile. Rows of JSON may each have others. */
const maxColumns = 200;
/** Of some rows, of which it is not known yet which columns are the first. */
const maxColumnsOfSome = 1_000;

/** What is seen of the columns of all rows. */
export class ColumnNotes {
  readonly #notes = new Map<string, Note>();
  readonly #maxColumns: number;
  #rows = 0;
  #lacksSome = false;

  constructor(rows: 'all' | 'some') {
    this.#maxColumns = rows === 'all' ? maxColumns : maxColumnsOfSome;
  }

  note(fields: Row): void {
    this.#rows++;
    for (const name of Object.keys(fields)) {
      const value = fields[name];
      if (value === null || value === undefined) this.#noteOf(name);
      else this.#noteValue(name, value);
    }
  }

  /** Whether no more values of a column need to be seen. */
  hasSamplesOf(name: string): boolean {
    return this.#notes.get(name)?.samples.length === maxSamples;
  }

  /** Adds what was noted of the rows that follow. */
  add({ rows, columns }: NotedColumns): void {
    this.#rows += rows;
    for (const { name, types, present, samples } of columns) {
      const note = this.#noteOf(name);
      if (!note) continue;
      note.present += present;
      for (const type of types) note.types.add(type);
      note.samples.push(...samples.slice(0, maxSamples - note.samples.length));
    }
  }

  /** Null: there are too many columns to be noted without the rows before. */
  noted(): NotedColumns | null {
    if (this.#lacksSome) return null;
    return { rows: this.#rows, columns: [...this.#notes].map(([name, note]) => ({ name, ...note })) };
  }

  profile(): ColumnProfile[] {
    return [...this.#notes].map(([name, { types, present, samples }]) => ({
      name,
      type: types.size === 0 ? 'null' : types.size === 1 ? ([...types][0] ?? 'null') : 'mixed',
      nullCount: this.#rows - present,
      samples,
    }));
  }

  #noteOf(name: string): Note | null {
    const known = this.#notes.get(name);
    if (known) return known;
    if (this.#notes.size >= this.#maxColumns) {
      this.#lacksSome = true;
      return null;
    }
    const note = { types: new Set<string>(), present: 0, samples: [] };
    this.#notes.set(name, note);
    return note;
  }

  #noteValue(name: string, value: unknown): void {
    const note = this.#noteOf(name);
    if (!note) return;
    note.present++;
    note.types.add(typeOf(value));
    if (note.samples.length < maxSamples) note.samples.push(sampleOf(value));
  }
}

function typeOf(value: unknown): string {
  if (isExactNumber(value)) return 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function sampleOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxSampleChars ? `${text.slice(0, maxSampleChars - 1)}…` : text;
}
