import { isExactNumber } from '#kernel';
import { compare, type Decimal, decimalOf, valueKey } from './decimal.ts';
import type { Grammar } from './gbnf.ts';
import { asList, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { stringForm, supported } from './schema-scalars.ts';
import { matchingTexts } from './text-pattern.ts';

/** `fits`: whether the value satisfies the schema. */
export type ListContext = { grammar: Pick<Grammar, 'spend'>; fits: (value: unknown, schema: unknown) => boolean };

type Check = (value: unknown) => boolean;

/** The values of `enum` or `const` that satisfy what stands beside it. Throws `Unsatisfiable` with the keyword that leaves none. */
export function listedValues(schema: Schema, context: ListContext): unknown[] {
  const listed = schema['enum'] === undefined ? [schema['const']] : schema['enum'];
  if (!Array.isArray(listed)) throw refuse('"enum" must be a list.');
  let values: unknown[] = listed;
  for (const keyword of Object.keys(schema)) {
    const left = values.filter(checkOf(keyword, schema, { values, ...context }));
    if (left.length === 0 && values.length > 0)
      throw new Unsatisfiable(refuse(`"${keyword}" leaves none of the values that "enum" or "const" beside it lists.`));
    values = left;
  }
  return values;
}

function checkOf(keyword: string, schema: Schema, context: ListContext & { values: readonly unknown[] }): Check {
  const given = schema[keyword];
  const { fits } = context;
  switch (keyword) {
    case 'type':
      return (value) => asList(given).some((type) => hasType(value, type));
    case 'const': {
      const only = valueKey(given);
      return (value) => valueKey(value) === only;
    }
    case 'minLength':
    case 'maxLength':
    case 'pattern':
    case 'format':
      return ofTexts({ [keyword]: given }, context);
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
    case 'multipleOf':
      return ofNumbers(keyword, decimalOf(given));
    case 'minItems':
      return ofLists((value) => value.length >= Number(given));
    case 'maxItems':
      return ofLists((value) => value.length <= Number(given));
    case 'uniqueItems':
      return ofLists((value) => given !== true || new Set(value.map(valueKey)).size === value.length);
    case 'prefixItems':
    case 'items':
    case 'additionalItems':
      return ofLists((value) => value.every((item, at) => fits(item, itemSchema(schema, at))));
    case 'minProperties':
      return ofObjects((value) => Object.keys(value).length >= Number(given));
    case 'maxProperties':
      return ofObjects((value) => Object.keys(value).length <= Number(given));
    case 'required':
      return ofObjects((value) => asList(given).every((name) => Object.hasOwn(value, String(name))));
    case 'properties':
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return ofObjects((value) =>
        Object.entries(value).every(([name, member]) => fits(member, memberSchema(schema, name))),
      );
    case 'patternProperties':
    case 'propertyNames':
      return ofObjects(() => {
        throw refuse(`"${keyword}" beside "enum" or "const" is not supported.`);
      });
    default:
      return () => true;
  }
}

function hasType(value: unknown, type: unknown): boolean {
  return type === jsonTypeOf(value) || (type === 'integer' && decimalOf(value)?.places === 0);
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : isExactNumber(value) ? 'number' : typeof value;
}

/** With one keyword at a time: each of them decides by itself. */
function ofTexts(schema: Schema, { grammar, values }: ListContext & { values: readonly unknown[] }): Check {
  const texts = values.filter((value) => typeof value === 'string');
  if (texts.length === 0) return () => true;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, ...others } = schema;
  const form = stringForm(others);
  const matching = 'pattern' in form ? supported(() => matchingTexts(grammar, form, texts)) : null;
  return (value) => {
    if (typeof value !== 'string') return true;
    const count = [...value].length;
    return count >= Number(minLength) && count <= Number(maxLength) && matching?.has(value) !== false;
  };
}

function ofNumbers(keyword: string, bound: Decimal | null): Check {
  return (value) => {
    const number = decimalOf(value);
    if (number === null || bound === null) return true;
    if (keyword === 'multipleOf') return isMultiple(number, bound);
    const order = compare(number, bound);
    if (keyword.startsWith('exclusive')) return keyword === 'exclusiveMinimum' ? order > 0 : order < 0;
    return keyword === 'minimum' ? order >= 0 : order <= 0;
  };
}

function isMultiple(value: Decimal, step: Decimal): boolean {
  const places = Math.max(value.places, step.places);
  const at = ({ units, places: own }: Decimal) => units * 10n ** BigInt(places - own);
  return step.units === 0n || at(value) % at(step) === 0n;
}

function ofLists(check: (value: readonly unknown[]) => boolean): Check {
  return (value) => !Array.isArray(value) || check(value);
}

function ofObjects(check: (value: Schema) => boolean): Check {
  return (value) => !isSchema(value) || check(value);
}

/** `prefixItems`, or the older list form of `items`. */
function itemSchema({ items, prefixItems, additionalItems }: Schema, at: number): unknown {
  const [first, others] = Array.isArray(items) ? [items, additionalItems] : [asList(prefixItems), items];
  return at < first.length ? first[at] : (others ?? true);
}

function memberSchema(schema: Schema, name: string): unknown {
  const { properties, additionalProperties, unevaluatedProperties } = schema;
  if (isSchema(properties) && Object.hasOwn(properties, name)) return properties[name];
  return additionalProperties ?? unevaluatedProperties ?? true;
}
