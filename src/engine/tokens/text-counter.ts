import { tokenAttributes, vocabularyTypes } from '../llama/addon.ts';
import type { NativeModel } from '../llama/binding.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';

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
 * words come again and again, and counting is ten times as quick.
 */
export function createTextCounter(
  vocabulary: Vocabulary,
  { addon, facts }: Pick<NativeModel, 'addon' | 'facts'>,
): TextCounter {
  const countAnew: TextCounter = (text) => vocabulary.tokenize(text, false).length;
  const divider = dividers.get(facts.preTokenizer ?? '');
  if (divider === undefined || addon.getVocabularyType() !== vocabularyTypes.bytePair) return countAnew;
  const added = addedTokens(addon, facts.vocabularySize);
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

  return (text) => {
    if (!plain.test(text) || added.some((token) => text.includes(token))) return countAnew(text);
    let count = 0;
    for (const part of text.match(divider) ?? []) count += countPart(part);
    return count;
  };
}

/** Tokens that are found in any text, before it is divided. */
function addedTokens(addon: NativeModel['addon'], size: number): string[] {
  const texts: string[] = [];
  for (let token = 0; token < size; token++)
    if ((addon.getTokenAttributes(token) & tokenAttributes.userDefined) !== 0)
      texts.push(addon.getTokenString(token) ?? '');
  return texts.filter((text) => text !== '');
}
