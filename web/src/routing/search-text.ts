/** A text in the URL; the router parses some texts as numbers. */
export function textIn(value: unknown, maxLength = 200): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  return String(value).slice(0, maxLength) || undefined;
}
