const strings = /"(?:[^"\\]|\\.)*"/g;

/** A JSON array; empty text is an empty one. Throws like `JSON.parse`, and where a number would lose digits. */
export function readList(text: string): unknown[] | null {
  if (text.trim() === '') return null;
  const value: unknown = JSON.parse(text);
  if (!Array.isArray(value)) throw new SyntaxError('Expected a list.');
  const long = text.replace(strings, '').match(/\d{16,}/g) ?? [];
  if (!long.every((digits) => Number.isSafeInteger(Number(digits)))) throw new SyntaxError('A number is too long.');
  return value.length === 0 ? null : value;
}
