import type { ExampleContent } from '../content/example-content.ts';
import { type SearchTerm, searchWords } from '../content/search-words.ts';
import type { ExampleFilter, Origin, Split } from '../examples/new-examples.ts';

export type SearchableExample = {
  id: string;
  json: string;
  split: Split;
  origin: Origin;
  valid: boolean;
};

/**
 * Of the dataset's id, in front of each word. With more characters, a text of 100,000 Chinese ones would be more than a `tsvector`
 * can hold. Two datasets with the same characters share rows of the index, which costs time but finds nothing wrong.
 */
const prefixCharacters = 4;
const prefixOf = (datasetId: string) => datasetId.slice(-prefixCharacters);

/** The lexemes of an example, with spaces between: its words, and what lists filter by in a form that no word has. */
export function lexemesOf(datasetId: string, { json, ...filter }: SearchableExample): string {
  // as: written by this room, in the shape of what was checked.
  const words = searchWords(JSON.parse(json) as ExampleContent).split(' ');
  const prefix = prefixOf(datasetId);
  return [...filterWords(filter), ...words].flatMap((word) => (word === '' ? [] : [prefix + word])).join(' ');
}

export function tsqueryOf(datasetId: string, terms: readonly SearchTerm[], filter: ExampleFilter): string {
  const prefix = prefixOf(datasetId);
  // Words are letters and digits: nothing in them has a meaning here.
  return [
    ...terms.map(({ word, begins }) => `'${prefix}${word}'${begins ? ':*' : ''}`),
    ...filterWords(filter).map((word) => `'${prefix}${word}'`),
  ].join(' & ');
}

function filterWords({ split, origin, valid }: ExampleFilter): string[] {
  const values = [split, origin, valid === null ? null : String(valid)];
  return values.flatMap((value) => (value === null ? [] : [`=${value}`]));
}
