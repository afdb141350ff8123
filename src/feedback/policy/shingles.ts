import { foldText } from '#kernel';

/** Of scripts without spaces each character is a word. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const word = new RegExp(String.raw`[${unspaced}]|[[\p{L}\p{N}\p{M}]--[${unspaced}]]+`, 'gv');
const shingleWords = 3;

export type Shingles = ReadonlySet<string>;

/** The runs of three words of a text. Case, width, punctuation and spacing do not matter. */
export function shinglesOf(text: string): Shingles {
  const folded = foldText(text);
  const words = folded.match(word) ?? [];
  // Too short for a run, or without any word: only the same text is like it.
  if (words.length < shingleWords) return new Set([words.length === 0 ? folded.trim() : words.join(' ')]);
  return new Set(words.slice(2).map((last, at) => `${words[at]} ${words[at + 1]} ${last}`));
}

/** Jaccard: what both have, as a part of what either has. 1 for equal sets. */
export function similarity(a: Shingles, b: Shingles): number {
  const common = a.intersection(b).size;
  return common / (a.size + b.size - common);
}
