import { compare, decimalOf, isNumber } from './decimal.ts';

type Schema = Record<string, unknown>;

const limits = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'pattern', 'format'],
];
const exclusives = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/**
 * The bounds of a schema as JSON Schema has them today. Libraries write `null` for a bound that is not set; in draft 4, `true` makes the
 * bound beside it exclusive.
 */
export function withPlainBounds(schema: Schema): Schema {
  const isOdd =
    limits.some((keyword) => schema[keyword] === null) ||
    exclusives.some(([, exclusive]) => typeof schema[exclusive] === 'boolean');
  if (!isOdd) return schema;
  const plain: Schema = Object.fromEntries(
    Object.entries(schema).filter(([keyword, value]) => !(value === null && limits.includes(keyword))),
  );
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

/** The stricter of two bounds. */
export function stricter(first: unknown, second: unknown, keyword: string): unknown {
  const [one, other] = [decimalOf(first), decimalOf(second)];
  if (one === null || other === null) return isNumber(first) ? second : first;
  const wantsHigher = keyword.startsWith('min') || keyword === 'exclusiveMinimum';
  return compare(one, other) > 0 === wantsHigher ? first : second;
}
