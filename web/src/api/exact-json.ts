import { isExactNumber } from '../../../src/kernel/json.ts';

export { isExactNumber, parseExactJson } from '../../../src/kernel/json.ts';

/** JavaScript lists such keys before all others. */
const indexKey = /^(?:0|[1-9]\d{0,9})$/;

/** Whether a copy of a value may lose digits of numbers or the order of keys. */
export function holdsExact(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return isExactNumber(value) || Object.entries(value).some(([key, item]) => holdsExact(item) || isIndex(value, key));
}

const isIndex = (value: object, key: string): boolean => !Array.isArray(value) && indexKey.test(key);
