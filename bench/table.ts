/** One line of the result table: a ratio measured in one run, its goal, and the figures behind it. */
export type Row = {
  name: string;
  ratio: number;
  /** null: told for information only. */
  goal: number | null;
  /** Whether the ratio should be at least or at most the goal. */
  sense: 'at least' | 'at most';
  figures: string;
};

/** Prints the table and tells whether every goal is met. */
export function printTable(rows: readonly Row[]): boolean {
  const lines = rows.map((row) => [
    row.name,
    row.ratio.toFixed(3),
    row.goal === null ? '-' : `${row.sense} ${row.goal}`,
    row.goal === null ? '' : isMet(row) ? 'met' : 'missed',
    row.figures,
  ]);
  const head = ['measure', 'value', 'goal', '', 'figures'];
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  for (const line of [head, ...lines])
    console.log(line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '));
  return rows.every(isMet);
}

function isMet({ ratio, goal, sense }: Row): boolean {
  if (goal === null) return true;
  return sense === 'at least' ? ratio >= goal : ratio <= goal;
}
