/** Whether a text holds something that the program of a template may look for. */
export type HoldsWord = (text: string) => boolean;

export function templateWords(source: string): HoldsWord {
  return lookFor(wordsOf(source));
}

/** Everything that the template's program may look for in texts, without the blanks at its ends: texts have none there. */
function wordsOf(source: string): string[] {
  const program = source.replace(/\{#[\s\S]*?#\}/g, '').match(/\{[{%][\s\S]*?[%}]\}/g) ?? [];
  const literals = program
    .map((part) => part.replace(roleQuestion, ''))
    .flatMap((part) => [...part.matchAll(/'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"/g)]);
  const texts = literals.map(([, one, other]) =>
    (one ?? other ?? '').replace(/\\[nrt]/g, '\n').replace(/\\(.)/g, '$1'),
  );
  const words = [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '');
  // Whatever holds a word that holds another one holds the other one, too.
  return words.filter((word) => !words.some((shorter) => shorter !== word && word.includes(shorter)));
}

/** Looks for what texts seldom have of each word, before it looks for the word. */
function lookFor(words: readonly string[]): HoldsWord {
  const byPart = Object.entries(Object.groupBy(words, seldomPartOf));
  return (text) =>
    byPart.some(([part, group]) => text.includes(part) && group?.some((word) => text.includes(word)) === true);
}

const oftenFirst = 'etaonisrhldcumfpgwybvkxjqz';

/** A sign; or else what follows its rarest letter, as a search goes from one place of the first letter to the next. */
function seldomPartOf(word: string): string {
  const sign = /[^\p{L}\p{N}\s.,:;!?'()-]/u.exec(word);
  if (sign) return sign[0];
  const ranks = [...word].map((character) => oftenFirst.indexOf(character));
  return [...word].slice(ranks.indexOf(Math.max(...ranks))).join('');
}

/** Asks for the role of a message and not for its text, which may well speak of users and tools. */
const roleQuestion = /(?:\.role|\[\s*['"]role['"]\s*\])\s*[!=]=\s*(?:'[^'\\]*'|"[^"\\]*")/g;
