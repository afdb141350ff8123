/** Folds text so that a search finds it however it was typed: case, width and composition of characters do not matter. */
export function foldText(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFC');
}
