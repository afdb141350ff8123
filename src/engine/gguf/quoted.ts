/** A name from a file, safe to print: one line, escaped, at most 80 characters. */
export function quoted(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}...` : name).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    '?',
  );
}
