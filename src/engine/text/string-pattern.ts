import {
  allChars,
  type CharSet,
  charSet,
  digitChars,
  lineChars,
  spaceChars,
  without,
  wordChars,
} from './char-class.ts';
import type { PatternNode } from './pattern-nodes.ts';

/** A regular expression that the grammar cannot say; the message names what is not supported. */
export class UnsupportedPattern extends Error {}

/** `empty`: it may match nothing. */
type Part = { node: PatternNode; empty: boolean };

const maxCount = 1000;

/**
 * A regular expression (ECMA-262, unanchored where it has no `^` and `$`). Regular parts only: no look-behind, back-references, word
 * boundaries or flags.
 */
export function readPattern(pattern: string): PatternNode {
  return new PatternReader(pattern).whole();
}

class PatternReader {
  readonly #units: readonly string[];
  /** Equal sets are one, so that they are seen to be equal. */
  readonly #sets = new Map([[allChars.join(), allChars]]);
  #at = 0;
  #looksAhead = false;

  constructor(pattern: string) {
    this.#units = [...pattern];
  }

  /** Top level: alternatives that each have their own anchors. */
  whole(): PatternNode {
    const anything: PatternNode = { kind: 'repeat', part: this.#charPart(allChars).node, min: 0, max: null };
    const parts: PatternNode[] = [];
    do {
      const before = this.#take('^') ? [] : [anything];
      const { node } = this.#sequence(() => this.#endsHere());
      const behind: PatternNode[] = this.#take('$') ? [] : [{ kind: 'rest' }];
      parts.push({ kind: 'sequence', parts: [...before, node, ...behind] });
    } while (this.#take('|'));
    if (this.#at < this.#units.length) throw this.#unsupported(`"${this.#peek()}" at position ${this.#at}`);
    return { kind: 'either', parts };
  }

  /** An alternative ends with `$`. */
  #endsHere(): boolean {
    return this.#peek() === '$' && ['|', ''].includes(this.#peek(1));
  }

  #sequence(isEnd = () => false): Part {
    const parts: Part[] = [];
    while (this.#at < this.#units.length && !['|', ')'].includes(this.#peek()) && !isEnd()) {
      parts.push(this.#quantified(this.#atom()));
    }
    return {
      node: { kind: 'sequence', parts: parts.map(({ node }) => node) },
      empty: parts.every((part) => part.empty),
    };
  }

  #group(): Part {
    if (this.#take('?') && !this.#take(':')) {
      if (this.#take('=')) return this.#look(false);
      if (this.#take('!')) return this.#look(true);
      const named = this.#take('<') && !['=', '!'].includes(this.#peek());
      if (!named) throw this.#unsupported('look-behind');
      while (this.#at < this.#units.length && !this.#take('>')) this.#at += 1;
    }
    const alternatives = this.#alternatives();
    return {
      node: { kind: 'either', parts: alternatives.map(({ node }) => node) },
      empty: alternatives.some((part) => part.empty),
    };
  }

  #look(negative: boolean): Part {
    if (this.#looksAhead) throw this.#unsupported('look-ahead within look-ahead');
    this.#looksAhead = true;
    const parts = this.#alternatives().map(
      ({ node }): PatternNode => ({ kind: 'sequence', parts: [node, { kind: 'rest' }] }),
    );
    this.#looksAhead = false;
    return { node: { kind: 'look', part: { kind: 'either', parts }, negative }, empty: true };
  }

  #alternatives(): Part[] {
    const alternatives: Part[] = [];
    do alternatives.push(this.#sequence());
    while (this.#take('|'));
    if (!this.#take(')')) throw this.#unsupported('a group that is not closed');
    return alternatives;
  }

  #quantified(part: Part): Part {
    const range = this.#quantifier();
    if (range === null) return part;
    const [min, max] = range;
    // Greedy or lazy: the same strings match.
    this.#take('?');
    if (this.#quantifier() !== null) throw this.#unsupported('a quantifier behind a quantifier');
    if (part.empty && max !== 1) throw this.#unsupported('repetition of something that may be empty');
    if (max !== null && (max < min || max > maxCount)) throw this.#unsupported(`a repetition over ${maxCount}`);
    return { node: { kind: 'repeat', part: part.node, min, max }, empty: part.empty || min === 0 };
  }

  #quantifier(): [number, number | null] | null {
    if (this.#take('*')) return [0, null];
    if (this.#take('+')) return [1, null];
    if (this.#take('?')) return [0, 1];
    const counted = /^\{(\d+)(,(\d*))?\}/.exec(this.#units.slice(this.#at, this.#at + 20).join(''));
    if (counted === null) return null;
    this.#at += counted[0].length;
    const min = Number(counted[1]);
    return [min, counted[2] === undefined ? min : counted[3] === '' ? null : Number(counted[3])];
  }

  #atom(): Part {
    const unit = this.#next();
    if (unit === '(') return this.#group();
    if (unit === '^' || unit === '$')
      return { node: { kind: 'anchor', at: unit === '^' ? 'start' : 'end' }, empty: true };
    if (['*', '+', '?', '{'].includes(unit)) throw this.#unsupported(`"${unit}" at position ${this.#at - 1}`);
    if (unit === '.') return this.#charPart(without(allChars, lineChars));
    if (unit === '[') return this.#charPart(this.#class());
    if (unit === '\\') return this.#charPart(this.#escape());
    return this.#charPart(single(unit));
  }

  #charPart(set: CharSet): Part {
    if (set.length === 0) throw this.#unsupported('an empty character class');
    const key = set.join();
    const known = this.#sets.get(key) ?? set;
    this.#sets.set(key, known);
    return { node: { kind: 'char', set: known }, empty: false };
  }

  #class(): CharSet {
    const negated = this.#take('^');
    const ranges: (readonly [number, number])[] = [];
    while (!this.#take(']')) {
      const from = this.#classUnit();
      const low = from[0]?.[0];
      const isRange = from.length === 1 && low === from[0]?.[1] && this.#peek() === '-' && this.#peek(1) !== ']';
      if (!isRange || low === undefined) {
        ranges.push(...from);
        continue;
      }
      this.#next();
      const to = this.#classUnit();
      const high = to[0]?.[0];
      if (to.length !== 1 || high === undefined || high !== to[0]?.[1] || high < low) {
        throw this.#unsupported('a character range that is not one');
      }
      ranges.push([low, high]);
    }
    const set = charSet(ranges);
    // Surrogates are no characters: they fall out of ranges that span them.
    return negated ? without(allChars, set) : without(set, [[0xd800, 0xdfff]]);
  }

  #classUnit(): CharSet {
    const unit = this.#next();
    return unit !== '\\' ? single(unit) : this.#take('b') ? single('\b') : this.#escape();
  }

  #escape(): CharSet {
    const unit = this.#next();
    const sets = new Map<string, CharSet>([
      ['d', digitChars],
      ['D', without(allChars, digitChars)],
      ['w', wordChars],
      ['W', without(allChars, wordChars)],
      ['s', spaceChars],
      ['S', without(allChars, spaceChars)],
      ['n', single('\n')],
      ['r', single('\r')],
      ['t', single('\t')],
      ['f', single('\f')],
      ['v', single('\v')],
    ]);
    const set = sets.get(unit);
    if (set !== undefined) return set;
    if (unit === 'x') return this.#hex(2);
    if (unit === 'u') return this.#hex(4);
    if (/[A-Za-z0-9]/.test(unit)) throw this.#unsupported(`"\\${unit}"`);
    return single(unit);
  }

  #hex(length: number): CharSet {
    const digits = this.#units.slice(this.#at, this.#at + length).join('');
    const code = Number.parseInt(digits, 16);
    const isCharacter = new RegExp(`^[0-9a-fA-F]{${length}}$`).test(digits) && (code < 0xd800 || code > 0xdfff);
    if (!isCharacter) throw this.#unsupported('an escape that is not one character');
    this.#at += length;
    return [[code, code]];
  }

  #peek(ahead = 0): string {
    return this.#units[this.#at + ahead] ?? '';
  }

  #next(): string {
    const unit = this.#units[this.#at];
    if (unit === undefined) throw this.#unsupported('an incomplete expression');
    this.#at += 1;
    return unit;
  }

  #take(unit: string): boolean {
    if (this.#peek() !== unit) return false;
    this.#at += 1;
    return true;
  }

  #unsupported(what: string): UnsupportedPattern {
    return new UnsupportedPattern(what);
  }
}

function single(unit: string): CharSet {
  const code = unit.codePointAt(0) ?? 0;
  return [[code, code]];
}
