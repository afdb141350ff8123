import { allChars, type CharSet, classOf, without } from './char-class.ts';
import { type Expression, type Grammar, literal, repeated, sequence } from './gbnf.ts';

/** JSON itself. Everything that could go on forever without saying anything (blanks, digits) is bounded. */

export function blank(grammar: Grammar): Expression {
  return grammar.define('blank', '(" " | "\\n" [ \\t]{0,20})?');
}

/** One character inside a string, also as an escape; escaped surrogates only in pairs. */
function stringChar(grammar: Grammar): Expression {
  const hex = '[0-9a-fA-F]';
  const plain = `([0-9a-cA-CefEF] ${hex}{3} | [dD] [0-7] ${hex}{2})`;
  const pair = `[dD] [89abAB] ${hex}{2} "\\\\u" [dD] [c-fC-F] ${hex}{2}`;
  return grammar.define('char', `[^\\x22\\x5c\\x00-\\x1f] | "\\\\" (["\\\\/bfnrt] | "u" (${plain} | ${pair}))`);
}

export function string(grammar: Grammar, length: readonly [number, number | null] = [0, null]): Expression {
  return grammar.define('string', sequence('"\\""', repeated(grammar, stringChar(grammar), length), '"\\""'));
}

/** Room for every number as JavaScript writes it, but for exponents beyond 279: no number overflows a double. */
export function number(grammar: Grammar): Expression {
  const exponent = '[eE] [-+]? ([0-9]{1,2} | [12] [0-7] [0-9])';
  return grammar.define('number', `"-"? ("0" | [1-9] [0-9]{0,20}) ("." [0-9]{1,24})? (${exponent})?`);
}

export function integer(grammar: Grammar): Expression {
  return grammar.define('integer', '"-"? ("0" | [1-9] [0-9]{0,19})');
}

export function anyValue(grammar: Grammar): Expression {
  const value = 'json-value';
  if (grammar.has(value)) return value;
  const scalars = [string(grammar), number(grammar), '"true"', '"false"', '"null"'];
  grammar.fill(value, [anyObject(grammar), anyArray(grammar), ...scalars].join(' | '));
  return value;
}

export function anyObject(grammar: Grammar): Expression {
  const object = 'json-object';
  if (grammar.has(object)) return object;
  const ws = blank(grammar);
  const member = `${string(grammar)} ":" ${ws} json-value`;
  grammar.fill(object, `"{" ${ws} (${member} ("," ${ws} ${member})* ${ws})? "}"`);
  anyValue(grammar);
  return object;
}

export function anyArray(grammar: Grammar): Expression {
  const array = 'json-array';
  if (grammar.has(array)) return array;
  const ws = blank(grammar);
  grammar.fill(array, `"[" ${ws} (json-value ("," ${ws} json-value)* ${ws})? "]"`);
  anyValue(grammar);
  return array;
}

/** Object keys that are none of the names. They are written without escapes, so that no name comes in disguise. */
export function otherKey(grammar: Grammar, names: readonly string[]): Expression {
  const raw: CharSet = without(allChars, [
    [0, 0x1f],
    [0x22, 0x22],
    [0x5c, 0x5c],
  ]);
  const anything = `${grammar.define('key-char', classOf(raw))}*`;
  const rest = (taken: readonly string[]): Expression => {
    const byFirst = new Map<string, string[]>();
    for (const name of taken) {
      const [first] = name;
      if (first !== undefined) byFirst.set(first, [...(byFirst.get(first) ?? []), name.slice(first.length)]);
    }
    const branches = [...byFirst].map(([first, tails]) => sequence(literal(first), rest(tails)));
    const used = [...byFirst.keys()].map((first): [number, number] => {
      const code = first.codePointAt(0) ?? 0;
      return [code, code];
    });
    const free = sequence(
      classOf(
        without(
          raw,
          used.sort((a, b) => a[0] - b[0]),
        ),
      ),
      anything,
    );
    const alternatives = [...branches, free, ...(taken.includes('') ? [] : ['""'])];
    return taken.length === 0 ? anything : grammar.define('key', alternatives.join(' | '));
  };
  // Names that need an escape cannot come up at all.
  const writable = names.filter((name) => JSON.stringify(name).length === name.length + 2);
  return sequence('"\\""', rest(writable), '"\\""');
}
