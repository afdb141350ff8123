/** A word in the address: one that looks like a number is read as one. */
export function textIn(value: unknown, maxLength = 200): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).slice(0, maxLength) || undefined;
}
