import { allChars, type CharSet } from './char-class.ts';

export type PatternNode =
  | { kind: 'char'; set: CharSet }
  | { kind: 'sequence' | 'either'; parts: readonly PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null }
  | { kind: 'rest' }
  | { kind: 'anchor'; at: 'start' | 'end' }
  /** What is left of the text must match, or must not. */
  | { kind: 'look'; part: PatternNode; negative: boolean };

/** What is left of a text. Equal ones are one object, whose number is its `id`. */
export type Rest = { id: number } /** Nothing matches, the end of the text does, or anything. */ & (
  | { kind: 'none' | 'end' | 'anything' }
  | { kind: 'char'; set: CharSet; next: Rest }
  | { kind: 'any' | 'all'; parts: readonly Rest[] }
  | { kind: 'not'; part: Rest }
  | { kind: 'anchor'; at: 'start' | 'end'; next: Rest }
  | { kind: 'repeat'; part: PatternNode; min: number; max: number | null; next: Rest }
);
type RestFields<Each> = Each extends { id: number } ? Omit<Each, 'id'> : never;

/** Derivatives of regular expressions (Brzozowski), with intersections for bounds of the length and for looking ahead. */
export class Rests {
  readonly #spend: (steps: number) => void;
  readonly #known = new Map<string, Rest>();
  /** Numbers of the character sets and of the parts that are repeated. */
  readonly #numbers = new Map<object, number>();
  readonly #unfolded = new Map<Rest, Rest>();
  readonly none = this.#make('none', { kind: 'none' });
  readonly end = this.#make('end', { kind: 'end' });
  readonly anything = this.#make('anything', { kind: 'anything' });

  constructor(spend: (steps: number) => void) {
    this.#spend = spend;
  }

  /** What matches the pattern and then is `next`. */
  of(node: PatternNode, next: Rest): Rest {
    switch (node.kind) {
      case 'char':
        return this.#make(`char ${this.#numberOf(node.set)} ${next.id}`, { kind: 'char', set: node.set, next });
      case 'sequence':
        return node.parts.reduceRight((to, part) => this.of(part, to), next);
      case 'either':
        return this.#any(node.parts.map((part) => this.of(part, next)));
      case 'rest':
        return this.anything;
      case 'anchor':
        return this.#make(`${node.at} ${next.id}`, { kind: 'anchor', at: node.at, next });
      case 'look': {
        const looked = this.of(node.part, this.end);
        return this.#all([node.negative ? this.#not(looked) : looked, next]);
      }
      case 'repeat': {
        const { part, min, max } = node;
        if (max === 0) return next;
        const key = `repeat ${this.#numberOf(part)} ${min} ${max} ${next.id}`;
        return this.#make(key, { kind: 'repeat', part, min, max, next });
      }
    }
  }

  /** What also has so many characters. */
  ofLength(rest: Rest, [min, max]: readonly [number, number | null]): Rest {
    if (min === 0 && max === null) return rest;
    return this.#all([rest, this.of({ kind: 'repeat', part: anyChar, min, max }, this.end)]);
  }

  /** Whether a text may end here. `isStart`: it is empty. */
  mayEnd(rest: Rest, isStart: boolean): boolean {
    this.#spend?.(2);
    switch (rest.kind) {
      case 'none':
      case 'char':
        return false;
      case 'end':
      case 'anything':
        return true;
      case 'any':
        return rest.parts.some((part) => this.mayEnd(part, isStart));
      case 'all':
        return rest.parts.every((part) => this.mayEnd(part, isStart));
      case 'not':
        return !this.mayEnd(rest.part, isStart);
      case 'anchor':
        return (rest.at === 'end' || isStart) && this.mayEnd(rest.next, isStart);
      case 'repeat':
        return this.mayEnd(this.#unfold(rest), isStart);
    }
  }

  /** What is left behind one character that is in just these of the sets. `isStart`: it is the first one. */
  after(rest: Rest, taken: ReadonlySet<CharSet>, isStart: boolean): Rest {
    this.#spend(2);
    switch (rest.kind) {
      case 'none':
      case 'end':
        return this.none;
      case 'anything':
        return rest;
      case 'char':
        return taken.has(rest.set) ? rest.next : this.none;
      case 'any':
        return this.#any(rest.parts.map((part) => this.after(part, taken, isStart)));
      case 'all':
        return this.#all(rest.parts.map((part) => this.after(part, taken, isStart)));
      case 'not':
        return this.#not(this.after(rest.part, taken, isStart));
      case 'anchor':
        return rest.at === 'start' && isStart ? this.after(rest.next, taken, isStart) : this.none;
      case 'repeat':
        return this.after(this.#unfold(rest), taken, isStart);
    }
  }

  /** All sets of characters that tell something about the next one. */
  setsOf(rest: Rest, isStart: boolean, found = new Set<CharSet>()): Set<CharSet> {
    this.#spend(2);
    if (rest.kind === 'char') found.add(rest.set);
    else if (rest.kind === 'anything') found.add(allChars);
    else if (rest.kind === 'any' || rest.kind === 'all')
      for (const part of rest.parts) this.setsOf(part, isStart, found);
    else if (rest.kind === 'not') this.setsOf(rest.part, isStart, found).add(allChars);
    else if (rest.kind === 'repeat') this.setsOf(this.#unfold(rest), isStart, found);
    else if (rest.kind === 'anchor' && rest.at === 'start' && isStart) this.setsOf(rest.next, isStart, found);
    return found;
  }

  #unfold(rest: Extract<Rest, { kind: 'repeat' }>): Rest {
    const known = this.#unfolded.get(rest);
    if (known !== undefined) return known;
    const { part, min, max, next } = rest;
    const fewer = { kind: 'repeat', part, min: Math.max(0, min - 1), max: max === null ? null : max - 1 } as const;
    const once = this.of(part, this.of(fewer, next));
    const unfolded = min > 0 ? once : this.#any([once, next]);
    this.#unfolded.set(rest, unfolded);
    return unfolded;
  }

  #any(parts: readonly Rest[]): Rest {
    return this.#joined('any', parts, { nothing: this.none, everything: this.anything });
  }

  #all(parts: readonly Rest[]): Rest {
    return this.#joined('all', parts, { nothing: this.anything, everything: this.none });
  }

  /** `nothing` says nothing beside others, beside `everything` nothing else says more. */
  #joined(
    kind: 'any' | 'all',
    given: readonly Rest[],
    { nothing, everything }: Record<'nothing' | 'everything', Rest>,
  ): Rest {
    const parts = new Set(given.flatMap((part) => (part.kind === kind ? part.parts : [part])));
    parts.delete(nothing);
    if (parts.has(everything)) return everything;
    const [only = nothing] = parts;
    if (parts.size < 2) return only;
    this.#spend(parts.size);
    const sorted = [...parts].sort((one, other) => one.id - other.id);
    return this.#make(`${kind} ${sorted.map(({ id }) => id).join()}`, { kind, parts: sorted });
  }

  #not(part: Rest): Rest {
    if (part.kind === 'not') return part.part;
    if (part === this.none) return this.anything;
    return part === this.anything ? this.none : this.#make(`not ${part.id}`, { kind: 'not', part });
  }

  #numberOf(object: object): number {
    const number = this.#numbers.get(object) ?? this.#numbers.size;
    this.#numbers.set(object, number);
    return number;
  }

  #make(key: string, fields: RestFields<Rest>): Rest {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    this.#spend?.(2);
    const rest = { id: this.#known.size, ...fields };
    this.#known.set(key, rest);
    return rest;
  }
}

const anyChar: PatternNode = { kind: 'char', set: allChars };
