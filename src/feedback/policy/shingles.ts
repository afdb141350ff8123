import { foldText } from '#kernel';

/** Of scripts without spaces each character is a word. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const word = new RegExp(String.raw`[${unspaced}]|[[\p{L}\p{N}\p{M}]--[${unspaced}]]+`, 'gv');
const shingleWords = 3;

/** The sets of a text's runs of three words, made once per text. Case, width, punctuation and spacing do not matter. */
export type Shingles = { of: (text: string) => ReadonlySet<number | string> };

export function createShingles(): Shingles {
  const words = new Map<string, number>();
  const made = new Map<string, ReadonlySet<number | string>>();

  function numberOf(text: string): number {
    const known = words.get(text);
    if (known !== undefined) return known;
    words.set(text, words.size + 1);
    return words.size;
  }

  function make(text: string): ReadonlySet<number | string> {
    const numbers = (foldText(text).match(word) ?? []).map(numberOf);
    // Too short for a run, or without any word: only the same text is like it.
    if (numbers.length < shingleWords)
      return new Set([numbers.length === 0 ? foldText(text).trim() : numbers.join(' ')]);
    const set = new Set<number | string>();
    for (let at = 2; at < numbers.length; at++)
      set.add(keyOf(numbers[at - 2] ?? 0, numbers[at - 1] ?? 0, numbers[at] ?? 0));
    return set;
  }

  return {
    of(text) {
      const known = made.get(text);
      if (known) return known;
      const shingles = make(text);
      made.set(text, shingles);
      return shingles;
    },
  };
}

/** A number that stands for exactly these three; numbers hold 53 bits. */
function keyOf(first: number, second: number, third: number): number | string {
  const most = 2 ** 17;
  if (Math.max(first, second, third) >= most) return `${first} ${second} ${third}`;
  return (first * most + second) * most + third;
}

/** Jaccard: what both have, as a part of what either has. 1 for equal sets. */
export function similarity(a: ReadonlySet<number | string>, b: ReadonlySet<number | string>): number {
  const [small, large] = a.size <= b.size ? [a, b] : [b, a];
  let common = 0;
  for (const shingle of small) if (large.has(shingle)) common++;
  return common / (small.size + large.size - common);
}

/** Whether the similarity reaches a threshold; sets of very different sizes are not compared. */
export function isSimilar(
  a: ReadonlySet<number | string>,
  b: ReadonlySet<number | string>,
  threshold: number,
): boolean {
  const most = Math.min(a.size, b.size) / Math.max(a.size, b.size);
  return most >= threshold && similarity(a, b) >= threshold;
}
