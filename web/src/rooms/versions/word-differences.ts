type Piece = { text: string; isShared: boolean };

/** Greatest product of the word counts: longer texts are marked as a whole. */
const maxCells = 250_000;

/** Texts that share less than this part of their words are marked as a whole. */
const leastShared = 0.3;

/** The pieces of a text; those that the other text does not have in the same order are marked. */
export function wordDifferences(text: string, other: string): Piece[] {
  if (text === '') return [];
  if (text === other) return [{ text, isShared: true }];
  const [mine, theirs] = [wordsOf(text), wordsOf(other)];
  // Common prefixes and suffixes need no comparison.
  let start = 0;
  while (start < mine.length && start < theirs.length && mine[start] === theirs[start]) start++;
  let end = 0;
  while (end < mine.length - start && end < theirs.length - start && mine.at(-1 - end) === theirs.at(-1 - end)) end++;
  const middle = mine.slice(start, mine.length - end);
  const shared = sharedIn(middle, theirs.slice(start, theirs.length - end));
  const pieces = mine.map((text, index) => ({
    text,
    isShared: index < start || index >= mine.length - end || (shared[index - start] ?? false),
  }));
  const common = pieces.filter(({ isShared }) => isShared).length;
  if (common < leastShared * Math.max(mine.length, theirs.length)) return [{ text, isShared: false }];
  return joined(pieces);
}

/** Words with the following space; characters in scripts without spaces. */
function wordsOf(text: string): string[] {
  return text.match(/\s+|(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[\p{L}\p{N}_]+|[^\s])\s*/gu) ?? [];
}

/** The words of the longest common subsequence. */
function sharedIn(mine: readonly string[], theirs: readonly string[]): boolean[] {
  const width = theirs.length + 1;
  if (mine.length * theirs.length > maxCells) return mine.map(() => false);
  const lengths = new Uint16Array((mine.length + 1) * width);
  const at = (one: number, other: number) => lengths[one * width + other] ?? 0;
  for (let one = mine.length - 1; one >= 0; one--)
    for (let other = theirs.length - 1; other >= 0; other--)
      lengths[one * width + other] =
        mine[one] === theirs[other] ? at(one + 1, other + 1) + 1 : Math.max(at(one + 1, other), at(one, other + 1));
  const shared = mine.map(() => false);
  for (let one = 0, other = 0; one < mine.length && other < theirs.length; )
    if (mine[one] === theirs[other]) {
      shared[one++] = true;
      other++;
    } else if (at(one + 1, other) >= at(one, other + 1)) one++;
    else other++;
  return shared;
}

function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  for (const { text, isShared } of pieces) {
    const last = result.at(-1);
    if (last?.isShared === isShared) last.text += text;
    else result.push({ text, isShared });
  }
  return result;
}
