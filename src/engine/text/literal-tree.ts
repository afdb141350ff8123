import { anyOf, type Expression, literal, sequence } from './gbnf.ts';

/**
 * Each of the texts with what follows it, as a tree: what several begin with is there once, so that llama.cpp has one way to follow
 * and not one for each.
 */
export function literalTree(following: ReadonlyMap<string, Expression>): Expression {
  return branches([...following].sort(([first], [second]) => (first < second ? -1 : 1)));
}

type Entry = readonly [text: string, next: Expression];

/** In order, so that those with a common beginning are neighbours. */
function branches(entries: readonly Entry[]): Expression {
  const alternatives: Expression[] = [];
  for (let at = 0; at < entries.length; ) {
    const [text, next] = entries[at] ?? ['', ''];
    const [first = ''] = text;
    let end = at + 1;
    while (first !== '' && entries[end]?.[0].startsWith(first)) end += 1;
    const last = entries[end - 1]?.[0] ?? '';
    const common = end === at + 1 ? text : commonBeginning(text, last);
    const rest = entries.slice(at, end).map(([each, after]): Entry => [each.slice(common.length), after]);
    const begun = common === '' ? '' : literal(common);
    alternatives.push(end === at + 1 ? sequence(begun, next) : sequence(begun, branches(rest)));
    at = end;
  }
  return anyOf(alternatives);
}

/** Of two texts, without half a character at its end. */
export function commonBeginning(first: string, second: string): string {
  let length = 0;
  while (length < first.length && first[length] === second[length]) length += 1;
  const isHalf = /[\ud800-\udbff]$/.test(first.slice(0, length));
  return first.slice(0, isHalf ? length - 1 : length);
}
