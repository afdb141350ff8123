/** A text as the database takes it, also within JSON: without NUL, and without halves of surrogate pairs, which cutting makes. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
