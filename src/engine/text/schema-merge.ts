import { isExactNumber, isFields, objectInOrder } from '#kernel';
import { commonStep, compare, decimalOf, decimalStep, isNumber, valueKey } from './decimal.ts';
import { isAnnotation, type Places, refuse, tooLarge, withoutAnnotations } from './schema-places.ts';
import { bothPatterns } from './text-pattern.ts';

export type Schema = Record<string, unknown>;

const jsonTypes: readonly unknown[] = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

export function isJsonType(type: unknown): boolean {
  return jsonTypes.includes(type);
}

/** Nothing can satisfy the schema at this place. `reason`: what the caller is told where that is all of the schema. */
export class Unsatisfiable extends Error {
  readonly reason: Error | null;

  constructor(reason: Error | null = null) {
    super();
    this.reason = reason;
  }

  asRefusal(): Error {
    return this.reason ?? refuse('No value can satisfy the schema.');
  }
}

export function isSchema(value: unknown): value is Schema {
  return isFields(value) && !isExactNumber(value);
}

/** Schemas stand for themselves as text: equal text, equal meaning (references are absolute). */
export function canonical(value: unknown): string {
  return JSON.stringify(value);
}

const maxReferences = 64;
const maxSteps = 20_000;
/** Combinations of two lists of alternatives that apply to one value. */
const mostCombined = 1_000;
const mostCombinedCharacters = 500_000;

export type Flatten = (schema: unknown) => Schema;

/**
 * Makes the function that gives a schema without `$ref` and `allOf`: what they say is merged in. `false` becomes
 * `Unsatisfiable`. The steps are counted, since a few references can stand for a very large schema.
 */
export function createFlatten(root: unknown, places: Places): Flatten {
  let steps = 0;
  const targets = new Map<unknown, unknown>();
  const target = (reference: unknown): unknown => {
    const known = targets.get(reference);
    if (known !== undefined) return known;
    const { found, steps } = resolve(root, reference);
    const words = withoutAnnotations(found, places, { above: null, steps });
    targets.set(reference, words);
    return words;
  };
  const flatten = (schema: unknown, depth: number): Schema => {
    steps += 1;
    if (steps > maxSteps)
      throw tooLarge(`The schema is too large: it has more than ${maxSteps} parts, references followed.`);
    if (depth > maxReferences) throw refuse(`A reference leads to another more than ${maxReferences} times.`);
    if (schema === false) throw new Unsatisfiable();
    if (schema === true) return {};
    if (!isSchema(schema)) throw refuse(`A schema must be an object or a boolean, not ${canonical(schema)}.`);
    const words = Object.entries(schema).filter(([keyword]) => !isAnnotation(keyword));
    const { $ref: reference, allOf, ...rest } = inPlainForm(Object.fromEntries(words));
    let flat: Schema = rest;
    if (reference !== undefined) flat = merge(flatten(target(reference), depth + 1), flat);
    if (allOf !== undefined) {
      for (const part of schemaList('allOf', allOf)) flat = merge(flat, flatten(part, depth + 1));
    }
    return flat;
  };
  return (schema) => flatten(schema, 0);
}

export function schemaList(keyword: string, value: unknown): unknown[] {
  if (!Array.isArray(value) || value.length === 0) throw refuse(`"${keyword}" must be a list of schemas.`);
  return value;
}

function resolve(root: unknown, reference: unknown): { found: unknown; steps: (string | number)[] } {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) {
    throw refuse(`"$ref": only references inside the schema ("#/...") are supported, not ${canonical(reference)}.`);
  }
  let found = root;
  const steps: (string | number)[] = [];
  for (const part of reference.split('/').slice(1)) {
    const key = decodeURIComponentOrRefuse(part).replaceAll('~1', '/').replaceAll('~0', '~');
    const container = typeof found === 'object' && found !== null ? new Map(Object.entries(found)) : new Map();
    if (!container.has(key)) throw refuse(`"$ref": there is no ${reference} in the schema.`);
    steps.push(Array.isArray(found) ? Number(key) : key);
    found = container.get(key);
  }
  return { found, steps };
}

function decodeURIComponentOrRefuse(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw refuse('"$ref": not a valid reference.');
  }
}

/** What both schemas demand. Nested schemas are joined by `allOf` and merged when they are reached. */
export function merge(first: Schema, second: Schema): Schema {
  checkPatterns(first, second);
  const merged: Schema = { ...first, ...second };
  for (const keyword of Object.keys(second)) {
    if (!(keyword in first) || canonical(first[keyword]) === canonical(second[keyword])) continue;
    const joined = joinKeyword(keyword, first[keyword], second[keyword]);
    if (joined !== undefined) merged[keyword] = joined;
  }
  if (isSchema(first['properties']) || isSchema(second['properties'])) {
    merged['properties'] = mergeProperties(first, second);
  }
  const [one, other] = [itemKeywords(first), itemKeywords(second)];
  if (one !== '' && other !== '' && one !== other && /prefix/.test(one + other)) {
    throw refuse('"prefixItems" in two schemas that apply to one value is not supported.');
  }
  return merged;
}

function itemKeywords(schema: Schema): string {
  const { items, prefixItems: prefix } = schema;
  return items === undefined && prefix === undefined ? '' : canonical({ items, prefix });
}

/** undefined: an annotation, where the second one counts. */
function joinKeyword(keyword: string, first: unknown, second: unknown): unknown {
  switch (keyword) {
    case 'type':
      return commonTypes(first, second);
    case 'required':
      return [...new Set([...asList(first), ...asList(second)])];
    case 'enum': {
      const allowed = new Set(asList(second).map(valueKey));
      return asList(first).filter((value) => allowed.has(valueKey(value)));
    }
    case 'const':
      if (valueKey(first) === valueKey(second)) return first;
      throw new Unsatisfiable();
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return stricter(first, second, keyword);
    case 'items':
    case 'additionalProperties':
      return { allOf: [first, second] };
    case 'anyOf':
      refuseCombinations(asList(first), asList(second));
      return asList(first).flatMap((one) => asList(second).map((other) => ({ allOf: [one, other] })));
    case 'multipleOf':
      return bothSteps(first, second);
    case 'pattern':
      if (typeof first === 'string' && typeof second === 'string') return bothPatterns(first, second);
      throw refuse('"pattern" must be a regular expression.');
    case 'uniqueItems':
      return first === true || second === true;
    case 'properties':
    case 'format':
      return undefined;
    default:
      if (keyword.startsWith('x-')) return undefined;
      throw refuse(`"${keyword}" in two schemas that apply to one value is not supported.`);
  }
}

/** Each combination holds both of its parts: what they take together is known before one is made. */
function refuseCombinations(first: readonly unknown[], second: readonly unknown[]): void {
  const count = first.length * second.length;
  const characters = () => canonical(first).length * second.length + canonical(second).length * first.length;
  if (count > mostCombined || characters() > mostCombinedCharacters)
    throw refuse(`The schema is too large: "anyOf" of two schemas makes ${count} combinations.`);
}

function bothSteps(first: unknown, second: unknown): number {
  const [one, other] = [decimalStep(first), decimalStep(second)];
  const both = one === null || other === null ? null : commonStep(one, other);
  if (both === null) throw refuse('"multipleOf": such steps together are not supported.');
  return Number(`${both.units}e-${both.places}`);
}

/** Which members a schema means by "additional" depends on the patterns beside it: merged with others it would mean more. */
function checkPatterns(first: Schema, second: Schema): void {
  const said = (schema: Schema, keyword: string) => schema[keyword] !== undefined && schema[keyword] !== true;
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    if (one['patternProperties'] === undefined) continue;
    const isApart = said(one, 'additionalProperties') && said(other, 'properties');
    if (isApart || said(other, 'additionalProperties'))
      throw refuse('"patternProperties" beside the members of another schema for the same value is not supported.');
  }
}

function mergeProperties(first: Schema, second: Schema): Schema {
  const [one, other] = [asProperties(first), asProperties(second)];
  const names = new Set([...one.keys(), ...other.keys()]);
  const schemaFor = (name: string): unknown => {
    const parts = [one.get(name) ?? first['additionalProperties'], other.get(name) ?? second['additionalProperties']];
    const given = parts.filter((part) => part !== undefined);
    return given.length === 1 ? given[0] : { allOf: given };
  };
  return objectInOrder([...names].map((name) => [name, schemaFor(name)]));
}

function asProperties(schema: Schema): Map<string, unknown> {
  return new Map(Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}));
}

function commonTypes(first: unknown, second: unknown): unknown[] {
  const [one, other] = [asList(first), asList(second)];
  const both = one.filter((type) => other.includes(type) || (type === 'integer' && other.includes('number')));
  const integers = other.includes('integer') && one.includes('number') && !both.includes('integer');
  if (both.length === 0 && !integers) throw new Unsatisfiable();
  return integers ? [...both.filter((type) => type !== 'number'), 'integer'] : both;
}

export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : value === undefined ? [] : [value];
}

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

export function stricter(first: unknown, second: unknown, keyword: string): unknown {
  const [one, other] = [decimalOf(first), decimalOf(second)];
  if (one === null || other === null) return isNumber(first) ? second : first;
  const wantsHigher = keyword.startsWith('min') || keyword === 'exclusiveMinimum';
  return compare(one, other) > 0 === wantsHigher ? first : second;
}
