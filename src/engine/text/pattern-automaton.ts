import { type CharSet, charSet, jsonChar } from './char-class.ts';
import type { Expression, Grammar } from './gbnf.ts';
import { createPlaces, end, type PatternNode, type Place, placeOf, type Spend } from './pattern-places.ts';
import {
  type Duty,
  lengthDuty,
  mayEndThread,
  setsOf,
  spreadThreads,
  type Thread,
  threadAfter,
  threadsKey,
} from './pattern-threads.ts';

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
  [min, max]: readonly [number, number | null],
): PatternAutomaton {
  const places = createPlaces();
  const from = { places, spend: spendOrThrow(spend) };
  const start = placeOf(places, { node: pattern, next: end }, from.spend);
  const duties: Duty[] = min === 0 && max === null ? [] : [lengthDuty([min, max])];
  const states = new Map<string, State>();
  const open: { state: State; threads: readonly Thread[] }[] = [];
  const stateOf = (threads: readonly Thread[]): State => {
    const key = threadsKey(threads);
    from.spend(1 + key.length / 100);
    const known = states.get(key);
    if (known !== undefined) return known;
    const state: State = { mayEnd: threads.some((thread) => mayEndThread(from, thread)), steps: [] };
    states.set(key, state);
    open.push({ state, threads });
    return state;
  };
  const root = stateOf(spreadThreads(from, [{ duties, places: [start] }], { isStart: true }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const steps = stepsFrom(from, next.threads);
    const compared = steps.reduce((sum, { set }) => sum + set.length + comparedForStep, 0);
    if (compared > mostCompared) throw new TooManyWays();
    for (const { set, to } of steps) next.state.steps.push({ set, to: stateOf(to) });
  }
  return withoutDeadEnds(root, [...states.values()]);
}

/** The texts as the characters of JSON strings. */
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

function spendOrThrow(spend: Grammar['spend']): Spend {
  return (steps) => {
    if (!spend(steps)) throw new TooManyWays();
  };
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

/** Where the characters lead from any of these places. */
function stepsFrom(
  from: { places: readonly Place[]; spend: Spend },
  threads: readonly Thread[],
): { set: CharSet; to: Thread[] }[] {
  const after = (taken: readonly CharSet[]): Thread[] => {
    const sets = new Set(taken);
    const left = threads.map((thread) => threadAfter(from, thread, sets)).filter((thread) => thread !== null);
    return left.length === 0 ? [] : spreadThreads(from, left);
  };
  const sets = setsOf(from, threads);
  const [only] = sets;
  if (sets.length === 1 && only !== undefined) {
    const to = after([only]);
    return to.length === 0 ? [] : [{ set: only, to }];
  }
  // Between two neighbours of these no set begins or ends.
  const cuts = [...new Set(sets.flatMap((set) => set.flatMap(([low, high]) => [low, high + 1])))].sort((a, b) => a - b);
  from.spend(cuts.length * sets.length);
  const steps = new Map<string, { ranges: [number, number][]; taken: CharSet[] }>();
  cuts.forEach((low, index) => {
    const inside = sets.flatMap((set, at) => (isIn(set, low) ? [at] : []));
    if (inside.length === 0) return;
    const key = inside.join();
    const step = steps.get(key) ?? { ranges: [], taken: sets.filter((_, at) => inside.includes(at)) };
    step.ranges.push([low, (cuts[index + 1] ?? low + 1) - 1]);
    steps.set(key, step);
  });
  return [...steps.values()]
    .map(({ ranges, taken }) => ({ set: charSet(ranges), to: after(taken) }))
    .filter(({ to }) => to.length > 0);
}

function isIn(set: CharSet, code: number): boolean {
  return set.some(([low, high]) => low <= code && code <= high);
}
