import { tokenAttributes, vocabularyTypes } from '../llama/addon.ts';
import type { NativeModel } from '../llama/binding.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';
import { WordCounts } from './word-counts.ts';

/** Tokens of a plain text: control tokens in it are ordinary characters. */
export type TextCounter = (text: string) => number;

/**
 * How llama.cpp divides a text before it makes tokens of the parts, by the file's name for it. A part that is tokenised
 * alone gives the same tokens: none reaches over the edge of a part, and a part is divided no further.
 */
const dividers = new Map([
  [
    'qwen2',
    /'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu,
  ],
]);

/** Characters that every version of Unicode and every library puts into the same class; other text is not divided here. */
const plain =
  /^[\t\n\r\x20-\x7e\u00a1-\u00ac\u00ae-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff5e]*$/;

/** Longer parts hardly come again. */
const longestKnown = 24;
const mostKnown = 200_000;

/**
 * Counts with the model's own tokeniser. Where its way to divide text is known, the counts of words are remembered:
 * words come again and again, and counting is a hundred times as quick.
 */
export function createTextCounter(
  vocabulary: Vocabulary,
  { addon, facts }: Pick<NativeModel, 'addon' | 'facts'>,
): TextCounter {
  const countAnew: TextCounter = (text) => vocabulary.tokenize(text, false).length;
  const divider = dividers.get(facts.preTokenizer ?? '');
  if (divider === undefined || addon.getVocabularyType() !== vocabularyTypes.bytePair) return countAnew;
  const added = addedTokens(addon, facts.vocabularySize);
  const words = new WordCounts(countAnew);
  const known = new Map<string, number>();

  function countPart(part: string): number {
    if (part.length > longestKnown) return countAnew(part);
    const count = known.get(part);
    if (count !== undefined) return count;
    if (known.size >= mostKnown) known.clear();
    const first = countAnew(part);
    known.set(part, first);
    return first;
  }

  /** Text without added tokens. */
  const countWords: TextCounter = (text) => {
    const quickly = words.count(text);
    if (quickly !== null) return quickly;
    if (!plain.test(text)) return countAnew(text);
    let count = 0;
    for (const part of text.match(divider) ?? []) count += countPart(part);
    return count;
  };

  return (text) => {
    if (!added.mayBeIn(text)) return countWords(text);
    if (added.takeBlanks) return countAnew(text);
    const parts = added.divide(text);
    return parts.texts.reduce((sum, part) => sum + countWords(part), parts.tokens);
  };
}

type AddedTokens = {
  /** Some of them take the blanks beside them, too. */
  takeBlanks: boolean;
  mayBeIn: (text: string) => boolean;
  /** What stands between them, and how many they are. */
  divide: (text: string) => { texts: string[]; tokens: number };
};

/** Tokens that are found in any text, before it is divided: the longest first, as llama.cpp looks for them. */
function addedTokens(addon: NativeModel['addon'], size: number): AddedTokens {
  const tokens: string[] = [];
  let takeBlanks = false;
  for (let token = 0; token < size; token++) {
    const attributes = addon.getTokenAttributes(token);
    if ((attributes & tokenAttributes.userDefined) === 0) continue;
    tokens.push(addon.getTokenString(token) ?? '');
    if ((attributes & (tokenAttributes.stripsLeft | tokenAttributes.stripsRight)) !== 0) takeBlanks = true;
  }
  const wanted = tokens.filter((text) => text !== '').toSorted((one, other) => other.length - one.length);
  const beginnings = [...new Set(wanted.map((text) => text.charAt(0)))];
  return {
    takeBlanks,
    mayBeIn: (text) => beginnings.some((character) => text.includes(character)),
    divide(text) {
      let texts = [text];
      let found = 0;
      for (const token of wanted) {
        const before = texts.length;
        if (texts.some((part) => part.includes(token))) texts = texts.flatMap((part) => part.split(token));
        found += texts.length - before;
      }
      return { texts, tokens: found };
    },
  };
}
