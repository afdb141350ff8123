/** Whether PostgreSQL can store a text: it takes no NUL, and half of a surrogate pair has no form in UTF-8. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** A text without what PostgreSQL cannot store: without NULs, and with U+FFFD for each half of a surrogate pair. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}
