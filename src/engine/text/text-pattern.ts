import { type CharSet, charSet, jsonChar } from './char-class.ts';
import type { Expression, Grammar } from './gbnf.ts';
import { type PatternNode, type Rest, Rests } from './pattern-nodes.ts';
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

/** The pattern has so many ways to match that telling them apart takes too long. */
export class TooManyWays extends Error {}

/** llama.cpp compares every token of its vocabulary with so many ranges of characters at a place, a step being as much as a few. */
const mostCompared = 500;
const comparedForStep = 4;

/** No character is in two of the sets. */
type State = { mayEnd: boolean; steps: { set: CharSet; to: State }[] };

/** Where a text can be that matches a pattern; no state is there from which no text ends. null: no text matches. */
export type PatternAutomaton = State | null;

/**
 * The texts that match, with so many characters. Of what may come next exactly one step takes each character: llama.cpp
 * follows all ways to read a text side by side and goes through its vocabulary for each, so that a pattern with
 * many of them, such as `((a{1,1000}){1,1000}){1,1000}`, would keep an engine from everybody's calls for minutes.
 */
export function patternAutomaton(
  { spend }: Pick<Grammar, 'spend'>,
  pattern: PatternNode,
  length: readonly [number, number | null],
): PatternAutomaton {
  const spendOrThrow = (steps: number) => {
    if (!spend(steps)) throw new TooManyWays();
  };
  const rests = new Rests(spendOrThrow);
  const states = new Map<string, State>();
  const open: { state: State; rest: Rest; isStart: boolean }[] = [];
  const stateOf = (rest: Rest, isStart = false): State => {
    const key = `${rest.id} ${isStart}`;
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: State = { mayEnd: rests.mayEnd(rest, isStart), steps: [] };
    states.set(key, state);
    open.push({ state, rest, isStart });
    return state;
  };
  const root = stateOf(rests.ofLength(rests.of(pattern, rests.end), length), true);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const steps = stepsFrom(rests, next, spendOrThrow);
    const compared = steps.reduce((sum, { set }) => sum + set.length + comparedForStep, 0);
    if (compared > mostCompared) throw new TooManyWays();
    for (const { set, to } of steps) next.state.steps.push({ set, to: stateOf(to) });
  }
  return withoutDeadEnds(root, [...states.values()]);
}

export function automatonRules(grammar: Grammar, root: State): Expression {
  const names = new Map<State, Expression>();
  const open: { name: Expression; state: State }[] = [];
  const nameOf = (state: State): Expression => {
    const known = names.get(state);
    if (known !== undefined) return known;
    const name = grammar.reserve('pattern');
    names.set(state, name);
    open.push({ name, state });
    return name;
  };
  const characters = new Map<string, Expression>();
  // The same few sets come again in thousands of states, and to write one takes longer than all else.
  const takes = (set: CharSet): Expression => {
    const key = set.join();
    const known = characters.get(key) ?? grammar.define('set', jsonChar(set) ?? '""');
    characters.set(key, known);
    return known;
  };
  const start = nameOf(root);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const steps = next.state.steps.map(({ set, to }) => `${takes(set)} ${nameOf(to)}`);
    grammar.fill(next.name, [...steps, ...(next.state.mayEnd ? ['""'] : [])].join(' | '));
  }
  return start;
}

export function matches(automaton: PatternAutomaton, text: string): boolean {
  let state: State | undefined = automaton ?? undefined;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    state = state?.steps.find(({ set }) => isIn(set, code))?.to;
  }
  return state?.mayEnd ?? false;
}

/** In a dead end a model could write nothing more and not end either. */
function withoutDeadEnds(root: State, states: readonly State[]): PatternAutomaton {
  const before = new Map<State, State[]>();
  for (const state of states) {
    for (const { to } of state.steps) {
      const known = before.get(to);
      if (known === undefined) before.set(to, [state]);
      else known.push(state);
    }
  }
  const alive = new Set(states.filter(({ mayEnd }) => mayEnd));
  for (const state of alive) for (const each of before.get(state) ?? []) alive.add(each);
  if (alive.size < states.length)
    for (const state of alive) state.steps = state.steps.filter(({ to }) => alive.has(to));
  return alive.has(root) ? root : null;
}

function stepsFrom(
  rests: Rests,
  { rest, isStart }: { rest: Rest; isStart: boolean },
  spend: (steps: number) => void,
): { set: CharSet; to: Rest }[] {
  const sets = [...rests.setsOf(rest, isStart)];
  // Between two neighbours of these no set begins or ends.
  const cuts = [...new Set(sets.flatMap((set) => set.flatMap(([low, high]) => [low, high + 1])))].sort((a, b) => a - b);
  spend(cuts.length * sets.length);
  const steps = new Map<string, { ranges: [number, number][]; taken: CharSet[] }>();
  cuts.forEach((low, index) => {
    const inside = sets.flatMap((set, at) => (isIn(set, low) ? [at] : []));
    if (inside.length === 0) return;
    const key = inside.join();
    const step = steps.get(key) ?? { ranges: [], taken: sets.filter((_, at) => inside.includes(at)) };
    step.ranges.push([low, (cuts[index + 1] ?? low + 1) - 1]);
    steps.set(key, step);
  });
  const byRest = new Map<Rest, [number, number][]>();
  for (const { ranges, taken } of steps.values()) {
    const to = rests.after(rest, new Set(taken), isStart);
    if (to !== rests.none) byRest.set(to, [...(byRest.get(to) ?? []), ...ranges]);
  }
  return [...byRest].map(([to, ranges]) => ({ set: charSet(ranges), to }));
}

function isIn(set: CharSet, code: number): boolean {
  return set.some(([low, high]) => low <= code && code <= high);
}
