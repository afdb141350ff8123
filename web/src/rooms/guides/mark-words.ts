type TextPart = { text: string; isMarked: boolean };

/** Cuts a text into parts, so that the words of a query can be marked in it. */
export function markWords(text: string, query: string): TextPart[] {
  const words = query
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  if (words.length === 0) return [{ text, isMarked: false }];
  // A part in brackets stays in the result: every second one is a word.
  return text
    .split(new RegExp(`(${words.join('|')})`, 'gi'))
    .map((part, index) => ({ text: part, isMarked: index % 2 === 1 }))
    .filter((part) => part.text !== '');
}
