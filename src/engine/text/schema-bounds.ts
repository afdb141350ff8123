import { compare, decimalOf, isNumber } from './decimal.ts';

type Schema = Record<string, unknown>;

const lengths = ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'];
/** Here `null` says something, or something else was meant. */
const mayBeNull = ['const', 'type'];
const exclusives = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/**
 * The keywords of a schema as JSON Schema has them today. Libraries write `null` for a keyword that is not set; lengths may be written as
 * `5.0`, and no value reaches very large ones; in draft 4, `true` makes the bound beside it exclusive.
 */
export function inPlainForm(schema: Schema): Schema {
  const plain: Schema = {};
  for (const [keyword, value] of Object.entries(schema))
    if (value !== null || mayBeNull.includes(keyword))
      plain[keyword] = lengths.includes(keyword) ? plainLength(value) : value;
  for (const [inclusive, exclusive] of exclusives) {
    const isExclusive = plain[exclusive];
    if (typeof isExclusive !== 'boolean') continue;
    delete plain[exclusive];
    if (!isExclusive || plain[inclusive] === undefined) continue;
    plain[exclusive] = plain[inclusive];
    delete plain[inclusive];
  }
  return plain;
}

function plainLength(value: unknown): unknown {
  const length = decimalOf(value);
  return length?.places === 0 ? Math.min(Number(length.units), Number.MAX_SAFE_INTEGER) : value;
}

/** The stricter of two bounds. */
export function stricter(first: unknown, second: unknown, keyword: string): unknown {
  const [one, other] = [decimalOf(first), decimalOf(second)];
  if (one === null || other === null) return isNumber(first) ? second : first;
  const wantsHigher = keyword.startsWith('min') || keyword === 'exclusiveMinimum';
  return compare(one, other) > 0 === wantsHigher ? first : second;
}
