import chinese from './locales/zh.json' with { type: 'json' };
import type { Language } from './model.ts';

/** Translations by their English text. `%{name}` stands for a part that the code fills in, and is translated by itself. */
export type Translations = Readonly<Record<string, string>>;

/** The languages beside English, which stands in the code. */
export const catalogues: Readonly<Record<Exclude<Language, 'en'>, Translations>> = { zh: chinese };

const placeholder = /%\{(\w+)\}/g;

/** A text of a contract in the language of a document. What has no translation stays English; a test finds it. */
export function localize(text: string, language: Language): string {
  return language === 'en' ? text : (translationOf(text, catalogues[language])?.text ?? text);
}

/** The translation of a text, with the keys that it is made of. Null: it has none. */
export function translationOf(text: string, catalogue: Translations): { text: string; keys: string[] } | null {
  const exact = catalogue[text];
  if (exact !== undefined) return { text: exact, keys: [text] };
  for (const [key, translation] of Object.entries(catalogue)) {
    const parts = key.includes('%{') ? partsOf(text, key) : null;
    if (!parts) continue;
    const keys = [key];
    const filled = translation.replace(placeholder, (_, name: string) => {
      const part = translationOf(parts[name] ?? '', catalogue);
      keys.push(...(part?.keys ?? []));
      return part?.text ?? parts[name] ?? '';
    });
    return { text: filled, keys };
  }
  return null;
}

/** What stands in a text where its key has placeholders; null: the text is another one. */
function partsOf(text: string, key: string): Record<string, string> | null {
  const pattern = key.split(placeholder).map((piece, at) => (at % 2 ? `(?<${piece}>.+)` : RegExp.escape(piece)));
  return new RegExp(`^${pattern.join('')}$`).exec(text)?.groups ?? null;
}
