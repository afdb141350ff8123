import { isExactNumber } from '#kernel';
import type { ImportProfile } from '../import-record.ts';

type Statistics = { types: Set<string>; present: number; samples: string[] };

const maxSamples = 3;
const maxSampleChars = 200;
/** Columns of a profile. Rows of JSON may each have others. */
const maxColumns = 200;

export class ColumnStatistics {
  readonly #columns = new Map<string, Statistics>();
  #rows = 0;

  add(fields: Readonly<Record<string, unknown>>): void {
    this.#rows++;
    for (const name of Object.keys(fields)) {
      const column = this.#column(name);
      const value = fields[name];
      if (!column || value === null || value === undefined) continue;
      column.present++;
      column.types.add(typeOf(value));
      if (column.samples.length < maxSamples) column.samples.push(sampleOf(value));
    }
  }

  profile(): ImportProfile['columns'] {
    return [...this.#columns].map(([name, { types, present, samples }]) => ({
      name,
      type: types.size === 0 ? 'null' : types.size === 1 ? ([...types][0] ?? 'null') : 'mixed',
      null_count: this.#rows - present,
      samples,
    }));
  }

  #column(name: string): Statistics | undefined {
    const known = this.#columns.get(name);
    if (known || this.#columns.size >= maxColumns) return known;
    const column = { types: new Set<string>(), present: 0, samples: [] };
    this.#columns.set(name, column);
    return column;
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
