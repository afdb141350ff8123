import { isExactNumber } from '#kernel';
import { decimalOf } from './decimal.ts';

/** Equal values have equal texts, however their numbers are written and in whatever order their members are. */
export function valueKey(value: unknown): string {
  const number = decimalOf(value);
  if (number !== null) return `${number.units}e-${number.places}`;
  if (Array.isArray(value)) return `[${value.map(valueKey)}]`;
  if (typeof value !== 'object' || value === null || isExactNumber(value)) return JSON.stringify(value);
  const members = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${valueKey(member)}`)}}`;
}
