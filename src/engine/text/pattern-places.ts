import { allChars, type CharSet } from './char-class.ts';

/** A regular expression, read. */
export type PatternNode =
  | { kind: 'char'; set: CharSet }
  | { kind: 'sequence' | 'either'; parts: readonly PatternNode[] }
  /** `max` null: without end. */
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null }
  /** Anything up to the end of the text. */
  | { kind: 'rest' }
  | { kind: 'anchor'; at: 'start' | 'end' }
  /** What is left of the text must match, or must not. */
  | { kind: 'look'; part: PatternNode; negative: boolean };

/** A place in the pattern: one character leads on, or there are several ways on without one, or one on a condition. */
export type Place =
  | { set: CharSet; to: number }
  | { ways: readonly number[] }
  | { anchor: 'start' | 'end'; to: number }
  | { look: number; negative: boolean; to: number };

export type Spend = (steps: number) => void;

/** The text matches if it ends here. */
export const end = 0;
/** The text matches whatever follows. */
export const all = 1;
/** The text matches if it ends here, and is not gone on with. */
const last = 2;

export function createPlaces(): Place[] {
  return [{ ways: [] }, { set: allChars, to: all }, { anchor: 'end', to: end }];
}

/** The place where a text must be to match the node and be at `next` then. */
export function placeOf(places: Place[], { node, next }: { node: PatternNode; next: number }, spend: Spend): number {
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
    case 'rest':
      return all;
    case 'anchor':
      return add({ anchor: node.at, to: next });
    case 'look':
      return add({ look: before(node.part, end), negative: node.negative, to: next });
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

/** Where a text is: its first character is still to come, or there is none any more. */
export type Border = { isStart?: boolean; isEnd?: boolean };

/**
 * The places that a character leads on from, or that say something about the end or what is left; in order. `all` stands alone:
 * beside it nothing else says more.
 */
export function spreadPlaces(
  { places, spend }: { places: readonly Place[]; spend: Spend },
  reached: readonly number[],
  { isStart = false, isEnd = false }: Border = {},
): number[] {
  const seen = new Set<number>();
  const found: number[] = [];
  const open = [...reached];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const place = places[at];
    if (at === all) return [all];
    if (seen.has(at) || place === undefined) continue;
    seen.add(at);
    if ('ways' in place && at !== end) {
      spend(place.ways.length);
      open.push(...place.ways);
    } else if ('anchor' in place && (place.anchor === 'start' ? isStart : isEnd)) open.push(place.to);
    else if ('look' in place && isEnd) {
      const ends = mayEndAt({ places, spend }, spreadPlaces({ places, spend }, [place.look], { isStart, isEnd }));
      if (ends !== place.negative) open.push(place.to);
    } else if (!('anchor' in place && place.anchor === 'start')) found.push(at);
    // An empty text both starts and ends here.
    if (isStart && !isEnd && 'anchor' in place && mayEndAt({ places, spend }, [at], isStart)) open.push(last);
  }
  spend(found.length);
  return found.sort((a, b) => a - b);
}

/** A text that has come to these places may end. */
export function mayEndAt(
  from: { places: readonly Place[]; spend: Spend },
  reached: readonly number[],
  isStart = false,
): boolean {
  if (reached.includes(end) || reached.includes(all)) return true;
  const hasAnchor = reached.some((at) => 'anchor' in (from.places[at] ?? {}));
  return hasAnchor && spreadPlaces(from, reached, { isStart, isEnd: true }).some((at) => at === end || at === all);
}
