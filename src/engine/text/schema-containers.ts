import { type Expression, type Grammar, literal, optional, repeated, sequence } from './gbnf.ts';
import { anyValue, blank, otherKey } from './json-rules.ts';
import { wrongValue } from './schema-keywords.ts';
import { asList, isSchema, refuse, type Schema, Unsatisfiable } from './schema-merge.ts';
import { lengthRange } from './schema-scalars.ts';

const maxProperties = 500;
const maxNameChars = 256;

/** Turns one schema (any nested place of it) into an expression. */
export type Compile = (schema: unknown) => Expression;

type Member = { expression: Expression; required: boolean };

/** Members in the order of `properties`, then further ones where `additionalProperties` asks for them. */
export function objectExpression(grammar: Grammar, schema: Schema, compile: Compile): Expression {
  const names = memberNames(schema);
  const members = knownMembers(grammar, { schema, names, compile });
  const others = otherMember(grammar, { schema, names, compile });
  checkCounts(schema, members, others !== null);
  const ws = blank(grammar);
  if (members.length === 0) {
    if (others === null) return `"{" ${ws} "}"`;
    const [min, max] = lengthRange(schema, 'minProperties', 'maxProperties');
    return sequence('"{"', ws, separated(grammar, { unit: others, range: [min, max] }), '"}"');
  }
  const comma = `"," ${ws}`;
  // What may follow once a member is written, and what may stand there while none is; from the last member backwards.
  let next = others === null ? '""' : `${grammar.define('more', `${comma} ${others}`)}*`;
  let first = others === null ? '""' : optional(`${others} ${next}`);
  for (const { expression, required } of [...members].reverse()) {
    const begun = grammar.define('begin', [`${expression} ${next}`, ...(required ? [] : [first])].join(' | '));
    next = grammar.define('next', [`${comma} ${expression} ${next}`, ...(required ? [] : [next])].join(' | '));
    first = begun;
  }
  return sequence('"{"', ws, first, ws, '"}"');
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

type Place = { schema: Schema; names: readonly string[]; compile: Compile };

function knownMembers(grammar: Grammar, { schema, names, compile }: Place): Member[] {
  const properties = new Map(Object.entries(isSchema(schema['properties']) ? schema['properties'] : {}));
  const required = new Set(asList(schema['required']));
  return names.flatMap((name) => {
    const value = properties.get(name) ?? schema['additionalProperties'] ?? true;
    try {
      const expression = sequence(literal(`${JSON.stringify(name)}:`), blank(grammar), compile(value));
      return [{ expression: grammar.define('member', expression), required: required.has(name) }];
    } catch (error) {
      if (!(error instanceof Unsatisfiable) || required.has(name)) throw error;
      return [];
    }
  });
}

/** A member with another name; null where there is none. */
function otherMember(grammar: Grammar, { schema, names, compile }: Place): Expression | null {
  const additional = schema['additionalProperties'];
  const bare = names.length === 0 && schema['unevaluatedProperties'] === undefined;
  if (additional === false || (additional === undefined && !bare)) return null;
  try {
    const value = additional === undefined || additional === true ? anyValue(grammar) : compile(additional);
    return grammar.define('member', sequence(otherKey(grammar, names), '":"', blank(grammar), value));
  } catch (error) {
    if (error instanceof Unsatisfiable) return null;
    throw error;
  }
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

/** `prefixItems` (or the older list form of `items`), then further items. */
export function arrayExpression(grammar: Grammar, schema: Schema, compile: Compile): Expression {
  const [min, max] = lengthRange(schema, 'minItems', 'maxItems');
  const tuple = Array.isArray(schema['items']);
  const prefix = tuple ? schema['items'] : (schema['prefixItems'] ?? []);
  if (!Array.isArray(prefix)) throw wrongValue('prefixItems', prefix);
  const rest = tuple ? schema['additionalItems'] : schema['items'];
  const prefixItems = compilePrefix(prefix.slice(0, max ?? prefix.length), compile);
  const complete = prefixItems.length === Math.min(prefix.length, max ?? prefix.length);
  const item = complete
    ? itemExpression(grammar, { rest, compile, wanted: prefix.length === 0 || min > prefix.length })
    : null;
  const ws = blank(grammar);
  const left = (count: number | null): number | null =>
    count === null ? null : Math.max(0, count - prefixItems.length);
  const [minLeft, maxLeft] = [left(min) ?? 0, item === null ? 0 : left(max)];
  if (minLeft > 0 && item === null) throw new Unsatisfiable();
  if (prefixItems.length === 0) {
    if (item === null) return `"[" ${ws} "]"`;
    return sequence('"["', ws, separated(grammar, { unit: item, range: [minLeft, maxLeft] }), '"]"');
  }
  const following = (unit: Expression): Expression => grammar.define('item', `"," ${ws} ${unit}`);
  let tail = item === null || maxLeft === 0 ? '""' : repeated(grammar, following(item), [minLeft, maxLeft]);
  for (const [index, unit] of [...prefixItems.entries()].reverse()) {
    const part = sequence(index === 0 ? unit : following(unit), tail);
    tail = index >= min ? optional(part) : grammar.define('items', part);
  }
  return sequence('"["', ws, tail, ws, '"]"');
}

/** Up to the first item that nothing satisfies: arrays end before it. */
function compilePrefix(prefix: readonly unknown[], compile: Compile): Expression[] {
  const items: Expression[] = [];
  for (const schema of prefix) {
    try {
      items.push(compile(schema));
    } catch (error) {
      if (error instanceof Unsatisfiable) break;
      throw error;
    }
  }
  return items;
}

type Rest = { rest: unknown; compile: Compile; wanted: boolean };

/** An item behind the prefix; null where there is none. Unasked ones are written only where the schema needs them. */
function itemExpression(grammar: Grammar, { rest, compile, wanted }: Rest): Expression | null {
  if (rest === undefined || rest === true) return wanted ? anyValue(grammar) : null;
  try {
    return compile(rest);
  } catch (error) {
    if (error instanceof Unsatisfiable) return null;
    throw error;
  }
}

/** `min` to `max` units with commas, and a blank behind them. */
function separated(grammar: Grammar, list: { unit: Expression; range: readonly [number, number | null] }): Expression {
  const { unit, range } = list;
  const [min, max] = range;
  if (max === 0) return '';
  const ws = blank(grammar);
  const following = grammar.define('item', `"," ${ws} ${unit}`);
  const more = repeated(grammar, following, [Math.max(0, min - 1), max === null ? null : max - 1]);
  const some = sequence(unit, more, ws);
  return min === 0 ? optional(some) : some;
}
