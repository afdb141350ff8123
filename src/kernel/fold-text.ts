/** Folds text so that a search finds it however it was typed: case, width and composition of characters do not matter. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFC');
}

/** The folded words of a text; texts that differ in this differ in words. */
export function plainText(text: string): string {
  return foldText(text).replace(/\s+/gu, ' ').trim();
}
