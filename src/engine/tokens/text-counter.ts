import type { DividerName, Division } from './counting-basis.ts';
import { canFindOnTheWay, WordCounts } from './word-counts.ts';

/** Tokens of a plain text, given in parts: control tokens in it are ordinary characters. */
export type TextCounter = (parts: readonly string[]) => number;

/**
 * The tokeniser itself. One that that is somewhere else says `NaN` for
 * what it has to be asked about; it is never remembered, and a sum that has it in it is `NaN`, too.
 */
export type Tokeniser = (text: string) => number;

/**
 * How llama.cpp divides a text before it makes tokens of the parts, by the file's name for it. A part that is tokenised
 * alone gives the same tokens: none reaches over the edge of a part, and a part is divided no further.
 */
const dividers: Readonly<Record<DividerName, RegExp>> = {
  qwen2:
    /'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu,
};

/** Characters that every version of Unicode and every library puts into the same class; other text is not divided here. */
const plain =
  /^[\t\n\r\x20-\x7e\u00a1-\u00ac\u00ae-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff5e]*$/;

/** Longer parts hardly come again. */
const longestKnown = 24;
const mostKnown = 200_000;

/**
 * Counts with the model's own tokeniser, `countAnew`. Where its way to divide text is known, the counts of words are
 * remembered: words come again and again, and counting is a hundred times as quick.
 */
export function createTextCounter(division: Division | null, countAnew: Tokeniser): TextCounter {
  if (division === null) return (parts) => countAnew(parts.join(''));
  const divider = dividers[division.divider];
  const added = addedTokens(division);
  const isFoundOnTheWay = !division.addedTakeBlanks && canFindOnTheWay(division.added);
  const words = new WordCounts(countAnew, isFoundOnTheWay ? division.added : []);
  const known = new Map<string, number>();

  function countPart(part: string): number {
    if (part.length > longestKnown) return countAnew(part);
    const count = known.get(part);
    if (count !== undefined) return count;
    if (known.size >= mostKnown) known.clear();
    const first = countAnew(part);
    if (!Number.isNaN(first)) known.set(part, first);
    return first;
  }

  /** Text without added tokens. */
  function countWords(text: string): number {
    const quickly = words.count([text]);
    if (quickly !== null) return quickly;
    if (!plain.test(text)) return countAnew(text);
    let count = 0;
    for (const part of text.match(divider) ?? []) count += countPart(part);
    return count;
  }

  return (parts) => {
    const quickly = isFoundOnTheWay ? words.count(parts) : null;
    if (quickly !== null) return quickly;
    const text = parts.join('');
    if (!added.mayBeIn(text)) return countWords(text);
    if (division.addedTakeBlanks) return countAnew(text);
    const divided = added.divide(text);
    return divided.texts.reduce((sum, part) => sum + countWords(part), divided.tokens);
  };
}

type AddedTokens = {
  mayBeIn: (text: string) => boolean;
  /** What stands between them, and how many they are. */
  divide: (text: string) => { texts: string[]; tokens: number };
};

function addedTokens({ added }: Division): AddedTokens {
  const beginnings = [...new Set(added.map((text) => text.charAt(0)))];
  return {
    mayBeIn: (text) => beginnings.some((character) => text.includes(character)),
    divide(text) {
      let texts = [text];
      let found = 0;
      for (const token of added) {
        const before = texts.length;
        if (texts.some((part) => part.includes(token))) texts = texts.flatMap((part) => part.split(token));
        found += texts.length - before;
      }
      return { texts, tokens: found };
    },
  };
}
