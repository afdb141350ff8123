/**
 * A list as PostgreSQL reads it (`{"a",NULL,"b"}`); null where it holds anything but texts, numbers and nulls, which the
 * driver knows better. Hot statements carry hundreds of values in lists, and the driver escapes each of them twice.
 */
export function arrayLiteral(values: readonly unknown[]): string | null {
  let text = '{';
  for (const value of values) {
    if (text.length > 1) text += ',';
    if (typeof value === 'string') text += quoted(value);
    else if (typeof value === 'number' || typeof value === 'bigint') text += value;
    else if (value === null || value === undefined) text += 'NULL';
    else return null;
  }
  return `${text}}`;
}

function quoted(value: string): string {
  if (!value.includes('"') && !value.includes('\\')) return `"${value}"`;
  return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
