import type { parse } from '@huggingface/jinja';
import { isFields } from '#kernel';

type Program = ReturnType<typeof parse>;

/** No template can use it by itself: the name is none of Jinja's identifiers. */
const nameOf = (filter: string) => `filter ${filter}`;

/** Filters of Jinja over the items of a list that the library lacks. */
const filters: Record<string, (values: readonly Scalar[]) => unknown> = {
  min: (values) => values.toSorted(compare).at(0),
  max: (values) => values.toSorted(compare).at(-1),
  sum: (values) => values.map(Number).reduce((total, value) => total + value, 0),
};

type Scalar = number | string;

function compare(a: Scalar, b: Scalar): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Uses of these filters without arguments become calls of functions of ours. */
export function withListFilters(program: Program): Program {
  rewrite(program);
  return program;
}

export const filterFunctions: Record<string, (values: unknown) => unknown> = Object.fromEntries(
  Object.entries(filters).map(([filter, apply]) => [
    nameOf(filter),
    (values: unknown) => apply(scalarsOf(values, filter)),
  ]),
);

/** The library wraps the items of a list. */
function scalarsOf(values: unknown, filter: string): Scalar[] {
  if (!Array.isArray(values)) throw new Error(`${filter} is a filter of lists`);
  return values.map((item: unknown) => {
    const value = isFields(item) ? item['value'] : item;
    return typeof value === 'string' ? value : Number(value);
  });
}

function rewrite(node: unknown): void {
  if (Array.isArray(node)) for (const each of node) rewrite(each);
  if (!isFields(node)) return;
  for (const part of Object.values(node)) rewrite(part);
  const { type, operand, filter } = node;
  if (type !== 'FilterExpression' || !isFields(filter) || filter['type'] !== 'Identifier') return;
  const name = String(filter['value']);
  if (!Object.hasOwn(filters, name)) return;
  delete node['operand'];
  delete node['filter'];
  Object.assign(node, { type: 'CallExpression', callee: { type: 'Identifier', value: nameOf(name) }, args: [operand] });
}
