import type { ReactNode } from 'react';
import { type Language, useLanguage } from './language.tsx';

type Text = string | ((...values: never[]) => ReactNode);
type Texts = { [name: string]: Text | Texts };

/** The same texts in another language. */
type Wording<T> = {
  [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...values: infer Values) => ReactNode
      ? (...values: Values) => ReturnType<T[Name]>
      : Wording<T[Name]>;
};

export type Catalogue<T> = Record<Language, T>;

/**
 * The texts of a page in both languages. Types make sure that none is missing. A text with values is a function:
 * `deleted: (name: string) => `“${name}” is deleted.``.
 */
export function catalogue<T extends Texts>(en: T, zh: Wording<NoInfer<T>>): Catalogue<Wording<T>> {
  // as: TypeScript cannot see that a type is a wording of itself.
  return { en: en as unknown as Wording<T>, zh };
}

export function useTexts<T>(texts: Catalogue<T>): T {
  return texts[useLanguage().language];
}
