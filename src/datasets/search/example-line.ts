import type { ExampleContent } from '../content/example-content.ts';
import { type SearchTerm, searchWords } from '../content/search-words.ts';

/** Words of an example as `readLines` gives it: those of its content, and what lists filter by, in a form that no word has. */
export function wordsOfLine(line: string): string[] {
  return textOfLine(line).split(' ');
}

/** Whether an example has all of the terms. */
export function lineHas(line: string, terms: readonly SearchTerm[]): boolean {
  const text = textOfLine(line);
  return terms.every(({ word, begins }) => text.includes(begins ? ` ${word}` : ` ${word} `));
}

/** The words, in front of and behind each a space. */
function textOfLine(line: string): string {
  const contentAt = line.indexOf('{');
  // as: written by this room, in the shape of what was checked.
  const content = JSON.parse(line.slice(contentAt)) as ExampleContent;
  return ` ${line.slice(0, contentAt)}${searchWords(content)}`;
}
