import { type Expression, type Grammar, literalTree, optional, repeated, sequence, waysToRepeat } from './gbnf.ts';
import { blank } from './json-rules.ts';
import { wrongValue } from './schema-keywords.ts';
import { type Schema, Unsatisfiable } from './schema-merge.ts';
import { refuse } from './schema-places.ts';
import { lengthRange } from './schema-scalars.ts';

/** The items that an array begins with, each with a schema of its own, then those that share one. */
export type ArrayForm = {
  prefix: readonly unknown[];
  item: { schema: unknown } | null;
  range: readonly [number, number | null];
  /** These are the items, and none comes twice; null: items may be equal. */
  unique: readonly string[] | null;
};

export type ArrayContext = {
  isSatisfiable: (schema: unknown) => boolean;
  /** The values that the schema lists; null: it allows others. */
  listed: (schema: unknown) => readonly string[] | null;
};

/** `prefixItems` (or the older list form of `items`), then further items. Throws `Unsatisfiable` where too few can be there. */
export function arrayForm(schema: Schema, { isSatisfiable, listed }: ArrayContext): ArrayForm {
  const [min, max] = lengthRange(schema, 'minItems', 'maxItems');
  const tuple = Array.isArray(schema['items']);
  const given = tuple ? schema['items'] : (schema['prefixItems'] ?? []);
  if (!Array.isArray(given)) throw wrongValue('prefixItems', given);
  const rest = tuple ? schema['additionalItems'] : schema['items'];
  const possible = given.slice(0, max ?? given.length);
  // Arrays end before the first item that nothing satisfies.
  const impossible = possible.findIndex((item) => !isSatisfiable(item));
  const prefix = impossible === -1 ? possible : possible.slice(0, impossible);
  const item = impossible === -1 ? itemOf(rest, { isNeeded: given.length === 0 || min > given.length }) : null;
  const isPossible = item !== null && isSatisfiable(item.schema);
  if (min > prefix.length && !isPossible) throw new Unsatisfiable();
  const form: ArrayForm = { prefix, item: isPossible ? item : null, range: [min, max], unique: null };
  const most = isPossible ? (max ?? Number.POSITIVE_INFINITY) : prefix.length;
  return schema['uniqueItems'] !== true || most < 2 ? form : uniqueForm(form, listed);
}

function uniqueForm(form: ArrayForm, listed: ArrayContext['listed']): ArrayForm {
  const unique = form.prefix.length > 0 || form.item === null ? null : listed(form.item.schema);
  if (unique === null || unique.some((text) => /^[{[]/.test(text)))
    throw refuse(
      '"uniqueItems" is supported only where "items" lists what they can be ("enum"): texts, numbers, null.',
    );
  const [min, max] = form.range;
  const most = Math.min(max ?? unique.length, unique.length);
  if (min > most) throw new Unsatisfiable();
  if (selections(unique.length, most) > mostSelections)
    throw refuse(
      `"uniqueItems" with ${unique.length} values is too large to be enforced; "maxItems" makes it smaller.`,
    );
  return { ...form, range: [min, most], unique };
}

const mostSelections = 600;

/** In so many ways up to `most` of the values can have come already. */
function selections(values: number, most: number): number {
  let [all, ofSize] = [1, 1];
  for (let size = 1; size < most && all <= mostSelections; size += 1) {
    ofSize = (ofSize * (values - size + 1)) / size;
    all += ofSize;
  }
  return all;
}

export function uniqueExpression(
  grammar: Grammar,
  values: readonly string[],
  [min, max]: ArrayForm['range'],
): Expression {
  const ws = blank(grammar);
  const known = new Map<string, Expression>();
  /** What may follow when these are left. */
  const behind = (left: readonly string[]): Expression => {
    const key = left.join();
    const found = known.get(key);
    if (found !== undefined) return found;
    const count = values.length - left.length;
    const goesOn = count < (max ?? values.length);
    const more = goesOn ? [sequence('","', ws, oneOf(left))] : [];
    const expression = grammar.define('more', [...more, ...(count >= min ? ['""'] : [])].join(' | '));
    known.set(key, expression);
    return expression;
  };
  const oneOf = (left: readonly string[]): Expression => {
    grammar.spend(left.length);
    return literalTree(new Map(left.map((text) => [text, behind(left.filter((other) => other !== text))])));
  };
  const items = sequence(oneOf(values), ws);
  return sequence('"["', ws, min === 0 ? optional(items) : items, '"]"');
}

/** Unasked items are written only where the schema needs them. */
function itemOf(rest: unknown, { isNeeded }: { isNeeded: boolean }): { schema: unknown } | null {
  if (rest === undefined || rest === true) return isNeeded ? { schema: true } : null;
  return { schema: rest };
}

export function arrayExpression(
  grammar: Grammar,
  { prefix, item, range }: { prefix: readonly Expression[]; item: Expression | null; range: ArrayForm['range'] },
): Expression {
  const [min, max] = range;
  const ws = blank(grammar);
  if (prefix.length === 0) {
    if (item === null) return `"[" ${ws} "]"`;
    return sequence('"["', ws, separated(grammar, { unit: item, range }), '"]"');
  }
  const following = (unit: Expression): Expression => grammar.define('item', `"," ${ws} ${unit}`);
  const [minLeft, maxLeft] = [Math.max(0, min - prefix.length), max === null ? null : Math.max(0, max - prefix.length)];
  let tail = item === null || maxLeft === 0 ? '""' : repeated(grammar, following(item), [minLeft, maxLeft]);
  for (const [index, unit] of [...prefix.entries()].reverse()) {
    const part = sequence(index === 0 ? unit : following(unit), tail);
    tail = grammar.define('items', index >= min ? optional(part) : part);
  }
  return sequence('"["', ws, tail, ws, '"]"');
}

/** In so many ways side by side llama.cpp reads an item behind the first one. */
export function waysToCount([min, max]: ArrayForm['range']): number {
  return waysToRepeat([Math.max(0, min - 1), max === null ? null : max - 1]);
}

/** `min` to `max` units with commas, and a blank behind them. */
export function separated(
  grammar: Grammar,
  { unit, range: [min, max] }: { unit: Expression; range: ArrayForm['range'] },
): Expression {
  if (max === 0) return '';
  const ws = blank(grammar);
  const following = grammar.define('item', `"," ${ws} ${unit}`);
  const more = repeated(grammar, following, [Math.max(0, min - 1), max === null ? null : max - 1]);
  const some = sequence(unit, more, ws);
  return min === 0 ? optional(some) : some;
}
