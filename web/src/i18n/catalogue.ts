import type { ReactNode } from 'react';
import { type Language, useLanguage } from './language.tsx';

type Text = string | ((...values: never[]) => ReactNode);
type Texts = { [name: string]: Text | Texts };

/** The same texts, in whatever words. */
type Wording<T> = {
  [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...values: infer Values) => ReactNode
      ? (...values: Values) => ReturnType<T[Name]>
      : Wording<T[Name]>;
};

export type Catalogue<T> = Record<Language, T>;

/**
 * The texts of a page in both languages. The types let none be missing or left over; a text with values in it is a
 * function of them: `deleted: (name: string) => `“${name}” is deleted.``.
 */
export function catalogue<T extends Texts>(en: T, zh: Wording<NoInfer<T>>): Catalogue<Wording<T>> {
  // as: a type is a wording of itself, which TypeScript cannot see through a parameter.
  return { en: en as unknown as Wording<T>, zh };
}

/** The texts of a catalogue in the language of the page. */
export function useTexts<T>(texts: Catalogue<T>): T {
  return texts[useLanguage().language];
}
