import { isExactNumber } from '#kernel';
import { compare, type Decimal, decimalOf } from './decimal.ts';
import type { Grammar } from './gbnf.ts';
import { asList, canonical, isSchema, type Schema } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { lengthRange, stringForm, supported } from './schema-scalars.ts';
import { matchingTexts } from './text-pattern.ts';

/** Of listed values, these are not looked into. */
const inside = ['properties', 'additionalProperties', 'patternProperties', 'propertyNames', 'items', 'prefixItems'];

/** The values of `enum` or `const` that are of the right type and within the bounds beside them. */
export function listedValues(grammar: Pick<Grammar, 'spend'>, schema: Schema): unknown[] {
  const listed = schema['enum'] === undefined ? [schema['const']] : schema['enum'];
  if (!Array.isArray(listed)) throw refuse('"enum" must be a list.');
  const only = 'const' in schema ? canonical(schema['const']) : null;
  const values = listed.filter((value) => (only === null || canonical(value) === only) && hasType(value, schema));
  return withinBounds(values, { grammar, schema });
}

function hasType(value: unknown, { type }: Schema): boolean {
  if (type === undefined) return true;
  const types = asList(type);
  return types.includes(jsonTypeOf(value)) || (types.includes('integer') && decimalOf(value)?.places === 0);
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : isExactNumber(value) ? 'number' : typeof value;
}

type Bounds = { grammar: Pick<Grammar, 'spend'>; schema: Schema };

function withinBounds(values: readonly unknown[], bounds: Bounds): unknown[] {
  const { schema } = bounds;
  const texts = boundedTexts(
    values.filter((value) => typeof value === 'string'),
    bounds,
  );
  const holdsCount = (kind: string, count: number) => {
    const [min, max] = lengthRange(schema, `min${kind}`, `max${kind}`);
    return count >= min && (max === null || count <= max);
  };
  return values.filter((value) => {
    if (typeof value === 'string') return texts.has(value);
    const number = decimalOf(value);
    if (number !== null) return holdsNumber(number, schema);
    if (typeof value !== 'object' || value === null) return true;
    refuseInside(schema);
    if (Array.isArray(value))
      return holdsCount('Items', value.length) && (schema['uniqueItems'] !== true || isUnique(value));
    return (
      holdsCount('Properties', Object.keys(value).length) &&
      asList(schema['required']).every((name) => Object.hasOwn(value, String(name)))
    );
  });
}

function boundedTexts(texts: readonly string[], { grammar, schema }: Bounds): ReadonlySet<string> {
  if (texts.length === 0) return new Set();
  const form = stringForm(schema);
  const [min, max] = form.length;
  const fit = texts.filter((text) => {
    const count = [...text].length;
    return count >= min && (max === null || count <= max);
  });
  if (!('pattern' in form)) return new Set(fit);
  return supported(() => matchingTexts(grammar, { pattern: form.pattern, length: [0, null] }, fit));
}

function holdsNumber(value: Decimal, schema: Schema): boolean {
  const holds = (keyword: string, isWithin: (order: number) => boolean) => {
    const bound = schema[keyword] === undefined ? null : decimalOf(schema[keyword]);
    return bound === null || isWithin(compare(value, bound));
  };
  return (
    holds('minimum', (order) => order >= 0) &&
    holds('maximum', (order) => order <= 0) &&
    holds('exclusiveMinimum', (order) => order > 0) &&
    holds('exclusiveMaximum', (order) => order < 0) &&
    isMultiple(value, schema['multipleOf'])
  );
}

function isMultiple(value: Decimal, step: unknown): boolean {
  const of = step === undefined ? null : decimalOf(step);
  if (of === null || of.units === 0n) return true;
  const places = Math.max(value.places, of.places);
  const at = ({ units, places: own }: Decimal) => units * 10n ** BigInt(places - own);
  return at(value) % at(of) === 0n;
}

function isUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonical)).size === items.length;
}

function refuseInside(schema: Schema): void {
  const keyword = inside.find((each) => schema[each] !== undefined && schema[each] !== true && !isEmpty(schema[each]));
  if (keyword !== undefined) throw refuse(`"${keyword}" beside "enum" or "const" is not supported.`);
}

function isEmpty(value: unknown): boolean {
  return isSchema(value) && Object.keys(value).length === 0;
}
