import { foldText } from '#kernel';
import type { ExampleContent } from './example-content.ts';

/** Scripts that put no spaces between words: their text is searched by pairs of letters. */
const unspaced = String.raw`\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`;
const letters = String.raw`\p{L}\p{N}\p{M}`;
const nonWords = /[^\p{L}\p{N}\p{M}]+/gu;
const runs = new RegExp(`([${unspaced}]+)|[[${letters}]--[${unspaced}]]+`, 'gv');
const anyUnspaced = new RegExp(`[${unspaced}]`, 'v');

/** Longer words are found by their beginning. */
const maxWord = 64;
const tooLong = new RegExp(`\\S{${maxWord + 1},}`, 'u');
/** Longest text that is searched, characters: what an index entry can hold has a limit. */
const maxText = 100_000;

/** The folded words of an example, with a space before and after each. */
export function searchWords(content: ExampleContent): string {
  return ` ${fold(textOf(content).slice(0, maxText))} `;
}

function textOf(content: ExampleContent): string {
  if ('query' in content) {
    const passages = [...content.positives, ...content.negatives];
    return [content.query, ...passages.map(({ text, document_id: id }) => (id === null ? text : `${text} ${id}`))].join(
      '\n',
    );
  }
  return content.messages
    .map((message) => {
      if (message.role !== 'assistant') return message.content;
      const { content: said, reasoning_content: thought, tool_calls: calls = [] } = message;
      return [said, thought, ...calls.flatMap(({ function: { name, arguments: args } }) => [name, args])].join('\n');
    })
    .join('\n');
}

function fold(text: string): string {
  if (Buffer.byteLength(text) === text.length) return foldAscii(text);
  const folded = foldText(text).replace(nonWords, ' ').trim();
  return cut(anyUnspaced.test(folded) ? [...folded.matchAll(runs)].flatMap(wordsOfRun).join(' ') : folded);
}

/** What separates words in a text of lower-case ASCII letters, except single spaces, which stay. */
const apart = /[^a-z0-9]{2,}|[^a-z0-9 ]/g;

function foldAscii(text: string): string {
  const words = text.toLowerCase().replace(apart, ' ').trim();
  return mayHaveLongWord(words) ? cut(words) : words;
}

/**
 * Checked before the expression that cuts long words, which looks at each letter several times. The text is looked at
 * in stretches of half the longest length: a word that is too long fills at least one of them.
 */
function mayHaveLongWord(words: string): boolean {
  const stretch = maxWord / 2;
  for (let at = 0; at + stretch <= words.length; at += stretch) {
    const next = words.indexOf(' ', at);
    if (next < 0 || next >= at + stretch) return true;
  }
  return false;
}

/** Pairs of neighbours, and the last letter: with it, each single letter begins some word. */
function wordsOfRun([run, letterRun]: RegExpExecArray): string[] {
  if (letterRun === undefined) return [run];
  const units = [...run];
  return units.map((unit, index) => unit + (units[index + 1] ?? ''));
}

function cut(words: string): string {
  if (!tooLong.test(words)) return words;
  return words
    .split(' ')
    .map((word) => word.slice(0, maxWord))
    .join(' ');
}

/** A word that must occur; `begins`: a word that begins so. */
export type SearchTerm = { word: string; begins: boolean };

/** More words than these do not narrow a search further. */
const maxTerms = 16;
/** Too many words begin with fewer letters. */
const leastBeginning = 3;

/**
 * What a search text asks for: each of its words must occur, `word*` (from three letters on) stands for all words that
 * begin so, and text of scripts without spaces is found inside longer text. Nothing: the text has no word.
 */
export function searchTerms(text: string): SearchTerm[] {
  const terms = new Map<string, SearchTerm>();
  for (const part of foldText(text).split(/(?<=\*)|\s+/u)) {
    const words = [...part.replace(nonWords, ' ').matchAll(runs)].flatMap((run) => termsOfRun(run));
    const last = words.at(-1);
    if (last && part.endsWith('*') && last.word.length >= leastBeginning) last.begins = true;
    for (const term of words) terms.set(`${term.word}${term.begins ? '*' : ''}`, term);
  }
  return [...terms.values()].slice(0, maxTerms);
}

function termsOfRun([run, letterRun]: RegExpExecArray): SearchTerm[] {
  if (letterRun === undefined)
    return [{ word: [...run].length > maxWord ? run.slice(0, maxWord) : run, begins: false }];
  const units = [...run];
  if (units.length === 1) return [{ word: run, begins: true }];
  return units.slice(0, -1).map((unit, index) => ({ word: unit + units[index + 1], begins: false }));
}
