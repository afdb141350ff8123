const mostCharacters = 80;

/** A caller's own text for use in a message: in quotes, and cut where it is long. */
export function quotedText(text: string): string {
  return JSON.stringify(text.length > mostCharacters ? `${text.slice(0, mostCharacters)}...` : text);
}
