import { valueKey } from './decimal.ts';
import type { Expression, Grammar } from './gbnf.ts';
import { type ObjectForm, objectForm } from './object-form.ts';
import { type ArrayForm, arrayForm } from './schema-arrays.ts';
import { asFarAsHeld, withOpenNames } from './schema-help.ts';
import { checkKeywords, inPlainWords } from './schema-keywords.ts';
import { listedValues } from './schema-lists.ts';
import {
  asList,
  canonical,
  createFlatten,
  isSchema,
  merge,
  type Schema,
  schemaList,
  Unsatisfiable,
} from './schema-merge.ts';
import { checkDistinct } from './schema-one-of.ts';
import { atPlace, type Places, pathOf, placed, refuse, tooLarge } from './schema-places.ts';
import { numberForm, patternString, stringForm } from './schema-scalars.ts';
import type { TextPattern } from './text-pattern.ts';

/** One of the kinds of value that a schema allows. Equal keys: the same values. */
export type Leaf = { key: string } & (
  | { kind: 'any' }
  | { kind: 'literal'; text: string }
  | { kind: 'string'; length: readonly [number, number | null] }
  | { kind: 'pattern'; expression: Expression }
  | { kind: 'number'; expression: Expression; ways: number }
  | { kind: 'object'; form: ObjectForm }
  | { kind: 'array'; form: ArrayForm }
);
/** Before it is known whether something satisfies it. */
type Container = { key: string; kind: 'object' | 'array'; schema: Schema };
type Raw = Exclude<Leaf, { form: unknown }> | Container;

const maxDepth = 48;
/** Many references can stand for very many kinds of value. */
const mostLeaves = 100_000;
/** To look up what a place allows takes as long as so many steps of a pattern. */
const stepsOfPlace = 5;
const mostBranchCharacters = 4_000_000;

const allTypes = ['object', 'array', 'string', 'number', 'boolean', 'null'];
const objectKeywords = [
  ...['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  ...['patternProperties', 'propertyNames'],
];
/** Where no type is given, these keywords tell which one is meant. */
const keywordTypes: readonly (readonly [string, readonly string[]])[] = [
  ['object', objectKeywords],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['string', ['minLength', 'maxLength', 'pattern', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];
/** These say something about one type and tell none. */
const silentKeywords = ['unevaluatedProperties', 'additionalItems'];

/** The kinds of value that satisfy a schema, whatever alternatives it is made of. Throws `Unsatisfiable` where there are none. */
export type LeavesOf = (schema: unknown) => readonly Leaf[];

/**
 * `exact`: what cannot be enforced is refused. `relaxed`: it is passed over. `satisfiable`: so is what no value satisfies, where one must
 * be there.
 */
export type Strictness = 'exact' | 'relaxed' | 'satisfiable';

/** `root`: what references are pointers in. */
export type Help = { strictness: Strictness; root: unknown };
export type SchemaContext = Help & { places: Places };

export function createLeavesOf(grammar: Grammar, { root, strictness, places }: SchemaContext): LeavesOf {
  const isHelp = strictness !== 'exact';
  const flatten = createFlatten(root, places);
  const raws = new Map<string, readonly Raw[]>();
  const leaves = new Map<string, Leaf | null>();
  const texts = new Map<string, Expression>();
  /** Schemas that are being divided: meeting one again is a circle. */
  const dividing = new Set<string>();
  /** Kinds of value whose parts are being looked at: these hold themselves, which many values do. */
  const looking = new Set<string>();
  /** Schemas with a list of values that what stands beside it leaves none of. */
  const emptied = new Map<string, Error>();
  let depth = 0;
  let count = 0;
  let forms = 0;

  const rawsOf = (schema: unknown): readonly Raw[] => {
    const key = canonical(schema);
    if (!grammar.spend(stepsOfPlace + key.length / 100)) throw tooLarge();
    if (dividing.has(key)) throw refuse('The schema refers to itself without end.');
    const known = raws.get(key);
    if (known !== undefined) return known;
    dividing.add(key);
    let found: Raw[];
    try {
      found = placed(places, schema, () => deeper(() => distinct(kindsOf(schema))));
    } catch (error) {
      if (!(error instanceof Unsatisfiable)) throw error;
      if (error.reason !== null) emptied.set(key, atPlace(places, schema, error.reason));
      found = [];
    } finally {
      dividing.delete(key);
    }
    const path = pathOf(places, schema);
    for (const raw of found)
      if ('schema' in raw && path !== null && !places.has(raw.schema)) places.set(raw.schema, path);
    count += found.length;
    if (count > mostLeaves) throw tooLarge();
    raws.set(key, found);
    return found;
  };

  const deeper = <Result>(work: () => Result): Result => {
    if (depth > maxDepth) throw refuse(`The schema is nested more than ${maxDepth} levels deep.`);
    depth += 1;
    try {
      return work();
    } finally {
      depth -= 1;
    }
  };

  const kindsOf = (schema: unknown): Raw[] => {
    if (!isHelp) return divided(flatten(schema));
    const flat = asFarAsHeld(schema, flatten) ?? {};
    return asFarAsHeld(flat, divided) ?? [{ key: 'any', kind: 'any' }];
  };

  const divided = (flat: Schema): Raw[] => {
    const schema = inPlainWords(flat, flatten);
    checkKeywords(schema);
    for (const keyword of ['anyOf', 'oneOf']) {
      if (schema[keyword] === undefined) continue;
      const { [keyword]: list, ...base } = schema;
      const branches = schemaList(keyword, list);
      // Each branch is joined with what stands beside it.
      if (branches.length * canonical(base).length > mostBranchCharacters)
        throw refuse(`The schema is too large: "${keyword}" repeats what stands beside it ${branches.length} times.`);
      if (keyword === 'oneOf' && !isHelp)
        checkDistinct(branches.map((branch) => orNull(() => merge(base, flatten(branch)))));
      return branches.flatMap((branch) => rawsOf({ allOf: [base, branch] }));
    }
    if (schema['enum'] !== undefined || 'const' in schema)
      return listedValues(schema, { grammar, fits }).map(literalLeaf);
    if (Object.keys(schema).every((keyword) => !isAssertion(keyword))) return [{ key: 'any', kind: 'any' }];
    // What cannot be enforced of a tool leaves steps for the rest.
    return grammar.within(isHelp ? 1 / 3 : 1, () =>
      typesOf(schema).flatMap((type) => orNull(() => ofType({ grammar, texts }, type, schema)) ?? []),
    );
  };

  const fits = (value: unknown, schema: unknown): boolean => rawsOf({ allOf: [schema, { const: value }] }).length > 0;

  const leafOf = (raw: Raw): Leaf | null => {
    if (!('schema' in raw)) return raw;
    const known = leaves.get(raw.key);
    if (known !== undefined) return known;
    looking.add(raw.key);
    let leaf: Leaf | null;
    try {
      leaf = placed(places, raw.schema, () => deeper(() => orNull(() => heldContainer(raw))));
    } finally {
      looking.delete(raw.key);
    }
    leaves.set(raw.key, leaf);
    return leaf;
  };
  const heldContainer = (raw: Container): Leaf => {
    const formed = (schema: Schema) => containerLeaf({ ...raw, schema });
    if (!isHelp) return formed(raw.schema);
    return asFarAsHeld(withOpenNames(raw.schema, formed), formed) ?? formed({});
  };
  const containerLeaf = ({ key, kind, schema }: Container): Leaf => {
    if (kind === 'array') return { key, kind, form: arrayForm(schema, { isSatisfiable, listed }) };
    forms += 1;
    return {
      key,
      kind,
      form: objectForm(schema, { grammar, id: forms, isSatisfiable, mayRelax: strictness === 'satisfiable' }),
    };
  };
  const isSatisfiable = (schema: unknown): boolean => {
    if (rawsOf(schema).some((raw) => looking.has(raw.key) || leafOf(raw) !== null)) return true;
    // Of schemas that were joined, one may well exclude what the other lists.
    const reason = isSchema(schema) && schema['allOf'] === undefined ? emptied.get(canonical(schema)) : undefined;
    if (reason !== undefined && !isHelp) throw reason;
    return false;
  };

  const listed = (schema: unknown): string[] | null => {
    const found = rawsOf(schema);
    const texts = found.flatMap((raw) => (raw.kind === 'literal' ? [raw.text] : []));
    return texts.length === found.length ? texts : null;
  };

  return (schema) => {
    const found = rawsOf(schema)
      .map(leafOf)
      .filter((leaf) => leaf !== null);
    if (found.length === 0) throw new Unsatisfiable(emptied.get(canonical(schema)));
    return found;
  };
}

/** Each kind once; beside "anything" nothing else says more. */
function distinct(raws: readonly Raw[]): Raw[] {
  const any = raws.find((raw) => raw.kind === 'any');
  // Of equal values that are written in several ways, the first one.
  return any === undefined ? [...new Map(raws.toReversed().map((raw) => [raw.key, raw])).values()].reverse() : [any];
}

function orNull<Result>(work: () => Result): Result | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof Unsatisfiable) return null;
    throw error;
  }
}

function ofType(rules: TextRules, type: unknown, schema: Schema): Raw[] {
  switch (type) {
    case 'object':
    case 'array': {
      const about = only(schema, type);
      return [{ key: `${type}:${canonical(about)}`, kind: type, schema: about }];
    }
    case 'string': {
      const form = stringForm(schema);
      if ('pattern' in form) return [textLeaf(rules, form)];
      return [{ key: `string:${form.length}`, kind: 'string', ...form }];
    }
    case 'number':
    case 'integer': {
      const form = numberForm(rules.grammar, schema, type);
      return [{ key: `number:${form.expression}`, kind: 'number', ...form }];
    }
    case 'boolean':
      return [true, false].map(literalLeaf);
    default:
      return [literalLeaf(null)];
  }
}

type TextRules = { grammar: Grammar; texts: Map<string, Expression> };

function textLeaf({ grammar, texts }: TextRules, text: TextPattern): Raw {
  const key = `pattern:${text.length} ${text.pattern}`;
  const expression = texts.get(key) ?? patternString(grammar, text);
  texts.set(key, expression);
  return { key, kind: 'pattern', expression };
}

function typesOf(schema: Schema): unknown[] {
  if (schema['type'] !== undefined) return asList(schema['type']);
  const implied = keywordTypes.filter(([, keywords]) => keywords.some((keyword) => keyword in schema));
  return implied.length === 0 ? allTypes : implied.map(([type]) => type);
}

function isAssertion(keyword: string): boolean {
  return keyword === 'type' || keywordTypes.some(([, keywords]) => keywords.includes(keyword));
}

function only(schema: Schema, type: string): Schema {
  const keywords = [...(keywordTypes.find(([name]) => name === type)?.[1] ?? []), ...silentKeywords];
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));
}

function literalLeaf(value: unknown): Raw {
  return { key: `literal:${valueKey(value)}`, kind: 'literal', text: canonical(value) };
}
