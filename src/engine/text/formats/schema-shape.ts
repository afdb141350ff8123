import { anyOf, type Expression, type Grammar, sequence } from '../gbnf.ts';
import { integer, number } from '../json-rules.ts';
import { asList, isSchema } from '../schema-merge.ts';
import { isAnnotation } from '../schema-places.ts';

/** A schema of nothing but types, lists of texts and members: what can be written in other forms than JSON. */
export type SchemaShape =
  | { type: 'string'; values: string[] | null }
  | { type: 'integer' | 'number' | 'boolean' | 'null' }
  | { type: 'array'; items: SchemaShape }
  | { type: 'object'; members: { name: string; shape: SchemaShape; isRequired: boolean }[] };

/** null: the schema says more, which only the grammar of JSON can hold a value to. */
export function shapeOf(schema: unknown): SchemaShape | null {
  if (!isSchema(schema)) return null;
  const { type, enum: values, properties, required, items, additionalProperties, ...rest } = schema;
  if (!Object.keys(rest).every(isAnnotation)) return null;
  switch (type) {
    case 'string': {
      if (values === undefined) return { type, values: null };
      const texts = asList(values).filter((value) => typeof value === 'string');
      return texts.length === asList(values).length && texts.length > 0 ? { type, values: texts } : null;
    }
    case 'integer':
    case 'number':
    case 'boolean':
    case 'null':
      return values === undefined ? { type } : null;
    case 'array': {
      const shape = shapeOf(items);
      return shape === null || values !== undefined ? null : { type, items: shape };
    }
    case 'object':
      return values === undefined && additionalProperties !== true ? objectShape(properties, asList(required)) : null;
    default:
      return null;
  }
}

function objectShape(properties: unknown, required: readonly unknown[]): SchemaShape | null {
  if (!isSchema(properties)) return null;
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    shape: shapeOf(schema),
    isRequired: required.includes(name),
  }));
  const known = members.flatMap(({ shape, ...member }) => (shape === null ? [] : [{ ...member, shape }]));
  return known.length === members.length ? { type: 'object', members: known } : null;
}

/** Values that all forms write as JSON does. */
export function scalarExpression(grammar: Grammar, type: 'integer' | 'number' | 'boolean' | 'null'): Expression {
  if (type === 'integer') return integer(grammar);
  if (type === 'number') return number(grammar);
  return type === 'boolean' ? '("true" | "false")' : '"null"';
}

/** Members in order, optional ones left out or not: what follows depends on whether one stands in front of it. */
export function memberList(
  grammar: Grammar,
  members: readonly { text: Expression; isRequired: boolean }[],
  separator: Expression,
): Expression {
  let [first, next] = ['""', '""'];
  for (const { text, isRequired } of members.toReversed()) {
    const [alone, behindOther] = [sequence(text, next), sequence(separator, text, next)];
    [first, next] = [
      grammar.define('members', isRequired ? alone : anyOf([alone, first])),
      grammar.define('members', isRequired ? behindOther : anyOf([behindOther, next])),
    ];
  }
  return first;
}
