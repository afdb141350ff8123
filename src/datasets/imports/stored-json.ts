/** JSON that PostgreSQL takes: it stores no NUL and no half of a surrogate pair, which files do hold. */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  return text.replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (code) => (code.length === 6 ? '\\ufffd' : code));
}
