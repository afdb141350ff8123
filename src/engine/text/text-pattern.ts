import type { Expression, Grammar } from './gbnf.ts';
import { automatonRules, matches, type PatternAutomaton, patternAutomaton, TooManyWays } from './pattern-automaton.ts';
import type { PatternNode } from './pattern-nodes.ts';
import { readPattern, UnsupportedPattern } from './string-pattern.ts';

/** What a text must be: it matches, is so long (`null`: without end), and is none of the others. */
export type TextPattern = {
  pattern: string;
  length: readonly [number, number | null];
  others?: readonly string[];
};

/** The inside of the JSON strings that are such a text; null: there are none. Throws `UnsupportedPattern`. */
export function textCharacters(grammar: Grammar, text: TextPattern): Expression | null {
  const automaton = automatonOf(grammar, text);
  return automaton === null ? null : automatonRules(grammar, automaton);
}

/** Those of the texts that are such a text. Throws `UnsupportedPattern`. */
export function matchingTexts(
  grammar: Pick<Grammar, 'spend'>,
  text: TextPattern,
  texts: readonly string[],
): Set<string> {
  if (texts.length === 0) return new Set();
  const automaton = automatonOf(grammar, text);
  return new Set(texts.filter((each) => matches(automaton, each)));
}

/** Throws `UnsupportedPattern` where a grammar cannot say it. */
export function checkText(grammar: Pick<Grammar, 'spend'>, text: TextPattern): void {
  automatonOf(grammar, text);
}

/** The regular expression for texts that match both. */
export function bothPatterns(first: string, second: string): string {
  // Within a look-ahead there is none.
  const [ahead, then] = /\(\?[=!]/.test(first) ? [second, first] : [first, second];
  return `^(?=[\\s\\S]*(?:${ahead}))[\\s\\S]*(?:${then})`;
}

function automatonOf(grammar: Pick<Grammar, 'spend'>, { pattern, length, others = [] }: TextPattern): PatternAutomaton {
  const node = readPattern(pattern);
  const parts = others.length === 0 ? [node] : [noneOf(others), node];
  try {
    return patternAutomaton(grammar, { kind: 'sequence', parts }, length);
  } catch (error) {
    if (error instanceof TooManyWays) throw new UnsupportedPattern('one with so many ways to match');
    throw error;
  }
}

function noneOf(texts: readonly string[]): PatternNode {
  const parts = texts.map((text): PatternNode => {
    const chars = [...text].map((char): PatternNode => {
      const code = char.codePointAt(0) ?? 0;
      return { kind: 'char', set: [[code, code]] };
    });
    return { kind: 'sequence', parts: chars };
  });
  return { kind: 'look', part: { kind: 'either', parts }, negative: true };
}
