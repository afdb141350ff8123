import { columnKey, metaWords, turnWords } from './column-names.ts';

type Turns = { user: string; assistant: string };

/** A shorter word may be the end of another one by chance. */
const minCompound = 5;

/** The one column that asks and the one that answers, by words of their names; null where that is not clear. */
export function turnsByWords(columns: readonly string[]): Turns | null {
  const named = columns
    .map((column) => ({ column, words: wordsOf(column) }))
    .filter(({ words }) => !words.some((word) => meta.has(word)));
  const sides = named.map(({ column, words }) => ({ column, side: sideOf(words) }));
  const only = (side: Side) => {
    const found = sides.filter((each) => each.side === side);
    return found.length === 1 ? found[0]?.column : undefined;
  };
  const [user, assistant] = [only('asks'), only('answers')];
  return user === undefined || assistant === undefined ? null : { user, assistant };
}

type Side = 'asks' | 'answers';

/** What a text is says more than who it is from: a customer's answer is an answer. */
function sideOf(words: readonly string[]): Side | null {
  const says = (known: readonly string[]) => words.some((word) => known.some((each) => isWord(word, each)));
  const [asks, answers] = [says(keys.asks), says(keys.answers)];
  if (asks !== answers) return asks ? 'asks' : 'answers';
  const [asking, answering] = [says(keys.asking), says(keys.answering)];
  if (asks || asking === answering) return null;
  return asking ? 'asks' : 'answers';
}

/** Of compounds, the last part says what they are; scripts without spaces do not divide words. */
function isWord(word: string, known: string): boolean {
  if (word === known) return true;
  return unspaced.test(known) ? word.includes(known) : known.length >= minCompound && word.endsWith(known);
}

const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]+$/u;

/** "customerQuestion_en": customer, question, en. */
function wordsOf(column: string): string[] {
  return column
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .map(columnKey)
    .filter((word) => word !== '');
}

/** Single letters, and names of several words, are no words of others. */
const wordKeys = (names: readonly string[]) =>
  names.filter((name) => name.length > 1 && !name.includes(' ')).map(columnKey);

const keys = {
  asks: wordKeys(turnWords.asks),
  answers: wordKeys(turnWords.answers),
  asking: wordKeys(turnWords.asking),
  answering: wordKeys(turnWords.answering),
};
const meta = new Set(metaWords);
