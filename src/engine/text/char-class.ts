import { anyOf, type Expression, escaped, literalTree } from './gbnf.ts';

/** A set of Unicode characters: sorted, separate ranges of code points, both ends included. */
export type CharSet = readonly (readonly [number, number])[];

const last = 0x10ffff;
export const allChars: CharSet = [
  [0, 0xd7ff],
  [0xe000, last],
];
export const digitChars: CharSet = [[0x30, 0x39]];
export const wordChars = charSet([
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
]);
export const spaceChars = charSet(
  [0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
    .map((code): [number, number] => [code, code])
    .concat([[0x2000, 0x200a]]),
);
export const lineChars = charSet([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);

export function charSet(ranges: readonly (readonly [number, number])[]): CharSet {
  const merged: [number, number][] = [];
  for (const [from, to] of [...ranges].sort((a, b) => a[0] - b[0])) {
    const previous = merged.at(-1);
    if (previous !== undefined && from <= previous[1] + 1) previous[1] = Math.max(previous[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function without(set: CharSet, removed: CharSet): CharSet {
  return set.flatMap(([from, to]) => {
    const left: [number, number][] = [];
    let next = from;
    for (const [first, end] of removed) {
      if (end < next || first > to) continue;
      if (first > next) left.push([next, first - 1]);
      next = end + 1;
    }
    if (next <= to) left.push([next, to]);
    return left;
  });
}

const escapes = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);
const mustEscape: CharSet = [
  [0, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];

/** One character of the set as it is written in a JSON string; null for the empty set. */
export function jsonChar(set: CharSet): Expression | null {
  const raw = without(set, mustEscape);
  const alternatives: Expression[] = raw.length === 0 ? [] : [classOf(raw)];
  const inEscapes = new Map<string, Expression>();
  for (const [from, to] of without(set, without(allChars, mustEscape))) {
    for (let code = from; code <= to; code += 1) {
      inEscapes.set(escapes.get(code) ?? `\\u${code.toString(16).padStart(4, '0')}`, '');
    }
  }
  if (inEscapes.size > 0) alternatives.push(literalTree(inEscapes));
  return alternatives.length === 0 ? null : anyOf(alternatives);
}

export function classOf(set: CharSet): Expression {
  const ranges = set.map(([from, to]) => (from === to ? one(from) : `${one(from)}-${one(to)}`));
  return `[${ranges.join('')}]`;
}

function one(code: number): string {
  return escaped(String.fromCodePoint(code));
}
