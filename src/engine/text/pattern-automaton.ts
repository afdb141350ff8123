import { type CharSet, charSet, jsonChar } from './char-class.ts';
import type { Expression, Grammar } from './gbnf.ts';

/** A regular expression, read. */
export type PatternNode =
  | { kind: 'char'; set: CharSet }
  | { kind: 'sequence' | 'either'; parts: readonly PatternNode[] }
  /** `max` null: without end. */
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null };

/** The pattern has so many ways to match that telling them apart takes too long. */
export class TooManyWays extends Error {}

/** A place in the pattern: one character leads on, or there are several ways on without one. */
type Place = { set: CharSet; to: number } | { ways: readonly number[] };
/** What a text can be at: any of these places. */
type State = { name: Expression; places: readonly number[] };
type Step = { set: CharSet; to: readonly number[] };

const end = 0;

/**
 * The texts that match, as the characters of JSON strings. Of what may come next exactly one rule takes each character:
 * llama.cpp follows all ways to read a text side by side and goes through its vocabulary for each, so that a pattern with
 * many of them, such as `((a{1,1000}){1,1000}){1,1000}`, would keep an engine from everybody's calls for minutes.
 */
export function patternRules(grammar: Grammar, pattern: PatternNode): Expression {
  const spend = (steps: number) => {
    if (!grammar.spend(steps)) throw new TooManyWays();
  };
  const places: Place[] = [{ ways: [] }];
  const start = placeOf(places, { node: pattern, next: end }, spend);
  const states = new Map<string, Expression>();
  const open: State[] = [];
  const stateOf = (reached: readonly number[]): Expression => {
    const all = withWays(places, reached, spend);
    const key = all.join();
    const known = states.get(key);
    if (known !== undefined) return known;
    const name = grammar.reserve('pattern');
    states.set(key, name);
    open.push({ name, places: all });
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

  const root = stateOf([start]);
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    const steps = stepsFrom(places, state.places, spend).map(({ set, to }) => `${takes(set)} ${stateOf(to)}`);
    grammar.fill(state.name, [...steps, ...(state.places.includes(end) ? ['""'] : [])].join(' | '));
  }
  return root;
}

type Spend = (steps: number) => void;

/** The place where a text must be to match the node and be at `next` then. */
function placeOf(places: Place[], { node, next }: { node: PatternNode; next: number }, spend: Spend): number {
  const before = (part: PatternNode, to: number): number => placeOf(places, { node: part, next: to }, spend);
  const add = (place: Place): number => {
    spend(1);
    return places.push(place) - 1;
  };
  switch (node.kind) {
    case 'char':
      return add({ set: node.set, to: next });
    case 'sequence':
      return node.parts.reduceRight((to, part) => before(part, to), next);
    case 'either':
      return add({ ways: node.parts.map((part) => before(part, next)) });
    case 'repeat': {
      const { part, min, max } = node;
      let at = next;
      if (max === null) {
        at = add({ ways: [] });
        places[at] = { ways: [before(part, at), next] };
      }
      for (let left = (max ?? min) - min; left > 0; left -= 1) at = add({ ways: [before(part, at), next] });
      for (let left = min; left > 0; left -= 1) at = before(part, at);
      return at;
    }
  }
}

/** The places that a character leads on from, or where the text may end, without a further character; in order. */
function withWays(places: readonly Place[], reached: readonly number[], spend: Spend): number[] {
  const seen = new Set<number>();
  const found: number[] = [];
  const open = [...reached];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const place = places[at];
    if (seen.has(at) || place === undefined) continue;
    seen.add(at);
    if ('set' in place || at === end) found.push(at);
    else {
      spend(place.ways.length);
      open.push(...place.ways);
    }
  }
  spend(found.length);
  return found.sort((a, b) => a - b);
}

/** Where the characters lead from any of these places; no character is in two of the sets. */
function stepsFrom(places: readonly Place[], from: readonly number[], spend: Spend): Step[] {
  const bySet = new Map<CharSet, number[]>();
  for (const at of from) {
    const place = places[at];
    if (place === undefined || !('set' in place)) continue;
    const to = bySet.get(place.set) ?? [];
    to.push(place.to);
    bySet.set(place.set, to);
  }
  const sets = [...bySet];
  const [only] = sets;
  if (sets.length === 1 && only) return [{ set: only[0], to: only[1] }];
  // Between two neighbours of these no set begins or ends.
  const cuts = [...new Set(sets.flatMap(([set]) => set.flatMap(([low, high]) => [low, high + 1])))].sort(
    (a, b) => a - b,
  );
  spend(cuts.length * sets.length);
  const steps = new Map<string, { ranges: [number, number][]; to: number[] }>();
  cuts.forEach((low, index) => {
    const inside = sets.flatMap(([set], at) => (isIn(set, low) ? [at] : []));
    if (inside.length === 0) return;
    const key = inside.join();
    const step = steps.get(key) ?? { ranges: [], to: inside.flatMap((at) => sets[at]?.[1] ?? []) };
    step.ranges.push([low, (cuts[index + 1] ?? low + 1) - 1]);
    steps.set(key, step);
  });
  return [...steps.values()].map(({ ranges, to }) => ({ set: charSet(ranges), to }));
}

function isIn(set: CharSet, code: number): boolean {
  return set.some(([low, high]) => low <= code && code <= high);
}
