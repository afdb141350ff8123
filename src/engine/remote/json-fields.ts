/** A JSON object of an engine: any field may be there and be anything. */
export type Fields = Record<string, unknown>;

/** What is no object has no fields. */
export function fieldsOf(value: unknown): Fields {
  // as: any object can be read by names.
  return isObject(value) ? (value as Fields) : {};
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** What a usage record can hold, and far more than any context has. */
const maxCount = 2 ** 31 - 1;

/** Null for what is no count, or none that can be. */
export function countOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxCount;
  return isCount ? value : null;
}
