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
import type { Expression, Grammar } from './gbnf.ts';
import { type PatternNode, patternRules, TooManyWays } from './pattern-automaton.ts';

/** A regular expression that the grammar cannot say; the message names what is not supported. */
export class UnsupportedPattern extends Error {}

/** `empty`: it may match nothing. */
type Part = { node: PatternNode; empty: boolean };

const maxCount = 1000;

/**
 * The inside of the JSON strings that match a regular expression (ECMA-262, unanchored where it has no `^` and `$`).
 * Regular parts only: no look-around, back-references, word boundaries or flags.
 */
export function patternCharacters(grammar: Grammar, pattern: string): Expression {
  const read = new PatternReader(pattern).whole();
  try {
    return patternRules(grammar, read);
  } catch (error) {
    if (error instanceof TooManyWays) throw new UnsupportedPattern('one with so many ways to match');
    throw error;
  }
}

class PatternReader {
  readonly #units: readonly string[];
  /** Equal sets are one, so that they are seen to be equal. */
  readonly #sets = new Map<string, CharSet>();
  #at = 0;

  constructor(pattern: string) {
    this.#units = [...pattern];
  }

  /** Top level: alternatives that each have their own anchors. */
  whole(): PatternNode {
    const anything: PatternNode = { kind: 'repeat', part: this.#charPart(allChars).node, min: 0, max: null };
    const parts: PatternNode[] = [];
    do {
      const before = this.#take('^') ? [] : [anything];
      const { node } = this.#sequence();
      const behind = this.#take('$') ? [] : [anything];
      parts.push({ kind: 'sequence', parts: [...before, node, ...behind] });
    } while (this.#take('|'));
    if (this.#at < this.#units.length) throw this.#unsupported(`"${this.#peek()}" at position ${this.#at}`);
    return { kind: 'either', parts };
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#units.length && !['|', ')', '$'].includes(this.#peek())) {
      parts.push(this.#quantified(this.#atom()));
    }
    return {
      node: { kind: 'sequence', parts: parts.map(({ node }) => node) },
      empty: parts.every((part) => part.empty),
    };
  }

  #group(): Part {
    if (this.#take('?') && !this.#take(':')) {
      const named = this.#take('<') && !['=', '!'].includes(this.#peek());
      if (!named) throw this.#unsupported('look-around');
      while (this.#at < this.#units.length && !this.#take('>')) this.#at += 1;
    }
    const alternatives: Part[] = [];
    do alternatives.push(this.#sequence());
    while (this.#take('|'));
    if (!this.#take(')')) throw this.#unsupported('an anchor inside a group, or a group that is not closed');
    return {
      node: { kind: 'either', parts: alternatives.map(({ node }) => node) },
      empty: alternatives.some((part) => part.empty),
    };
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
    if (['^', '*', '+', '?', '{'].includes(unit)) throw this.#unsupported(`"${unit}" at position ${this.#at - 1}`);
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

/** Formats that are enforced; all others are annotations, as JSON Schema has it. */
export function formatPattern(format: unknown): string | null {
  const date = '\\d{4}-(0[1-9]|1[0-2])-(0[1-9]|1\\d|2[0-8])';
  const time = '([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,9})?(Z|[+-]([01]\\d|2[0-3]):[0-5]\\d)';
  const label = '[A-Za-z0-9]([A-Za-z0-9-]{0,30}[A-Za-z0-9])?';
  const byte = '(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
  const group = '[0-9a-fA-F]{1,4}';
  const whole = '\\d{1,6}';
  const days = `(${whole}D|${whole}M(${whole}D)?|${whole}Y(${whole}M(${whole}D)?)?)`;
  const hours = `T(${whole}S|${whole}M(${whole}S)?|${whole}H(${whole}M(${whole}S)?)?)`;
  const patterns = new Map<unknown, string>([
    ['date', `^${date}$`],
    ['time', `^${time}$`],
    ['date-time', `^${date}T${time}$`],
    ['duration', `^P(${days}(${hours})?|${hours}|${whole}W)$`],
    ['uuid', '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'],
    ['email', `^[A-Za-z0-9_+-]{1,32}(\\.[A-Za-z0-9_+-]{1,32}){0,4}@${label}(\\.${label}){1,4}$`],
    ['hostname', `^${label}(\\.${label}){0,6}$`],
    ['ipv4', `^${byte}(\\.${byte}){3}$`],
    ['ipv6', `^((${group}:){7}${group}|${shortenedGroups(group)})$`],
  ]);
  return patterns.get(format) ?? null;
}

/** In an address of eight groups `::` stands for at least one of them, so that at most seven are beside it. */
function shortenedGroups(group: string): string {
  const upTo = (most: number) => (most === 0 ? '' : `(${group}(:${group}){0,${most - 1}})?`);
  return [0, 1, 2, 3, 4, 5, 6]
    .map((before) => (before === 0 ? `::${upTo(7)}` : `${group}(:${group}){${before - 1}}::${upTo(7 - before)}`))
    .join('|');
}
