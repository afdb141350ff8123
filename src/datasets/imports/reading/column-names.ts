import { checkColumns } from './read-limits.ts';

/** Names of columns from the first row of a table: those that are empty or there already get others. */
export function columnNames(first: readonly string[], maxColumns: number, hint: string): string[] {
  checkColumns(first.length, maxColumns, { orMore: true, hint });
  const seen = new Map<string, number>();
  return first.map((text, index) => {
    const name = text.trim() || `column_${index + 1}`;
    const times = (seen.get(name) ?? 0) + 1;
    seen.set(name, times);
    return times === 1 ? name : `${name}_${times}`;
  });
}
