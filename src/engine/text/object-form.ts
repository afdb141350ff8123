import { type Expression, type Grammar, sequence } from './gbnf.ts';
import { checkKeywords, wrongValue } from './schema-keywords.ts';
import { asList, isSchema, type Schema, Unsatisfiable } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { lengthRange, stringForm, supported } from './schema-scalars.ts';
import { matchingTexts, type TextPattern, textCharacters } from './text-pattern.ts';

const maxProperties = 500;
const maxNameChars = 256;

export type Member = { name: string; schema: unknown; required: boolean };

/** What an object may say: these members in their order, then any number of others. */
export type ObjectForm = {
  /** Counts the forms of one schema. */
  id: number;
  /** Those that something can satisfy. */
  members: readonly Member[];
  /** From this member on none is required. */
  optionalFrom: number;
  /** No other member has one of these names. */
  names: ReadonlySet<string>;
  others: { schema: unknown; key: Expression | null } | null;
  /** How many members there may be, where all of them are others. */
  range: readonly [number, number | null];
};

export type FormContext = {
  grammar: Grammar;
  id: number;
  isSatisfiable: (schema: unknown) => boolean;
  mayRelax: boolean;
};

/** Throws `Unsatisfiable` where a member must be there that nothing satisfies. */
export function objectForm(schema: Schema, { grammar, id, isSatisfiable, mayRelax }: FormContext): ObjectForm {
  const names = memberNames(schema);
  const keys = keyForm(schema);
  const required = new Set(asList(schema['required']));
  const schemaOf = memberSchemas(schema, byName(grammar, keys, names));
  const members = names
    .map((name) => ({ name, schema: schemaOf(name), required: required.has(name) }))
    .flatMap((member) => {
      if (isSatisfiable(member.schema)) return [member];
      if (member.required && mayRelax) return [{ ...member, schema: true }];
      if (member.required) throw new Unsatisfiable();
      return [];
    });
  const additional = otherMembers(grammar, { schema, names, keys });
  const others = additional === null || !isSatisfiable(additional.schema) ? null : additional;
  checkCounts(schema, members, others !== null);
  const isFree = members.length === 0 && others !== null;
  return {
    id,
    members,
    optionalFrom: members.findLastIndex((member) => member.required) + 1,
    names: new Set(names),
    others,
    range: isFree ? lengthRange(schema, 'minProperties', 'maxProperties') : [0, null],
  };
}

function memberSchemas(schema: Schema, named: ReturnType<typeof byName>): (name: string) => unknown {
  const properties = new Map(Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}));
  return (name) => {
    const [given, byForm] = [properties.get(name), named(name)];
    if (byForm === null) return given === undefined ? (schema['additionalProperties'] ?? true) : given;
    return given === undefined || byForm.schema === false ? byForm.schema : { allOf: [given, byForm.schema] };
  };
}

/** Nothing is said about the object but that it is one. */
export function isBare({ names, others, range }: ObjectForm): boolean {
  return names.size === 0 && others?.schema === true && others.key === null && range[0] === 0 && range[1] === null;
}

/** All members are others, and how many there may be is said. */
export function isCounted({ members, others, range }: ObjectForm): boolean {
  return members.length === 0 && others !== null && (range[0] > 0 || range[1] !== null);
}

/** What is read by itself, not together with other objects. */
export function isApart(form: ObjectForm): boolean {
  return isCounted(form) || (form.others !== null && form.others.key !== null);
}

function memberNames(schema: Schema): string[] {
  const { properties } = schema;
  if (properties !== undefined && !isSchema(properties)) throw wrongValue('properties', properties);
  const names = [...new Set([...Object.keys(properties ?? {}), ...asList(schema['required']).map(String)])];
  if (names.length > maxProperties)
    throw refuse(`More than ${maxProperties} properties in one object are not supported.`);
  if (names.some((name) => name.length > maxNameChars)) throw refuse('A property name is too long.');
  return names;
}

/** The schema of members with another name; null where there are none. They are written only where the schema asks for them. */
function otherMembers(
  grammar: Grammar,
  { schema, names, keys }: { schema: Schema; names: readonly string[]; keys: KeyForm },
): ObjectForm['others'] {
  const additional = schema['additionalProperties'];
  const bare = names.length === 0 && schema['unevaluatedProperties'] === undefined;
  const other = keys.some?.schema ?? (additional === undefined ? bare : additional);
  if (other === false) return null;
  const text = keys.some?.text ?? keys.all;
  const key = text === null ? null : keyRule(grammar, text, names);
  return text !== null && key === null ? null : { schema: other, key };
}

/** Counts are enforced where they follow from the members, or where all members are free. */
function checkCounts(schema: Schema, members: readonly Member[], open: boolean): void {
  const min = Number(schema['minProperties'] ?? 0);
  const max = Number(schema['maxProperties'] ?? Number.POSITIVE_INFINITY);
  const required = members.filter((member) => member.required).length;
  const free = members.length === 0 && open;
  // A free name may come twice, which counts once: only the first one is certain.
  if (min > required && !(free && min <= 1)) throw refuse('"minProperties" is not supported here; use "required".');
  if (!free && (max < members.length || (open && max !== Number.POSITIVE_INFINITY))) {
    throw refuse('"maxProperties" is not supported here.');
  }
}

export type KeyForm = {
  /** The names of all members must be such a text. */
  all: TextPattern | null;
  some: { text: TextPattern; schema: unknown } | null;
};

export function keyForm(schema: Schema): KeyForm {
  const { propertyNames, patternProperties } = schema;
  const all = propertyNames === undefined ? null : textOfNames(propertyNames);
  if (patternProperties === undefined) return { all, some: null };
  const patterns = isSchema(patternProperties) ? Object.entries(patternProperties) : [];
  const [[pattern, of] = ['', true]] = patterns;
  const isKnown = patterns.length === 1 && (isSchema(of) || typeof of === 'boolean') && all === null;
  if (!isKnown || !isFree(schema['additionalProperties'])) {
    throw refuse(
      '"patternProperties" is supported with one pattern, without "propertyNames" and without a schema for "additionalProperties".',
    );
  }
  return { all, some: { text: { pattern, length: [0, null] }, schema: of } };
}

function isFree(additional: unknown): boolean {
  return additional === undefined || typeof additional === 'boolean';
}

function textOfNames(names: unknown): TextPattern {
  const known = ['type', 'pattern', 'minLength', 'maxLength', 'format'];
  const isOfText = isSchema(names) && (names['type'] === undefined || asList(names['type']).includes('string'));
  if (!isOfText || Object.keys(names).some((keyword) => !known.includes(keyword)))
    throw refuse('"propertyNames" is supported only as a list of names, a pattern, a format or bounds of the length.');
  checkKeywords(names);
  return { pattern: '', ...stringForm(names) };
}

/** What the named members must be, beside what is said of each by name. */
export function byName(
  grammar: Grammar,
  { all, some }: KeyForm,
  names: readonly string[],
): (name: string) => { schema: unknown } | null {
  const allowed = all === null ? null : supported(() => matchingTexts(grammar, all, names));
  const matched = some === null ? null : supported(() => matchingTexts(grammar, some.text, names));
  return (name) => {
    if (allowed !== null && !allowed.has(name)) return { schema: false };
    return some !== null && matched?.has(name) ? { schema: some.schema } : null;
  };
}

/** The keys of such a form that are none of the names; null: there are none. */
export function keyRule(grammar: Grammar, text: TextPattern, names: readonly string[]): Expression | null {
  const characters = supported(() => textCharacters(grammar, { ...text, others: names }));
  return characters === null ? null : grammar.define('key', sequence('"\\""', characters, '"\\""'));
}
