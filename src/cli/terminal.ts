import { messageOf, systemCodeOf } from '#kernel';

/**
 * Results go to stdout, where scripts read them; what a person should know besides goes to stderr. A result that could
 * not be written, to a full disk for example, is not done: the exit code tells.
 */
export function print(text: string): void {
  const problem = write(process.stdout, text);
  if (problem === null) return;
  process.exitCode = 1;
  note(`What belongs here cannot be written to the standard output: ${messageOf(problem)}.`);
}

export function note(text: string): void {
  write(process.stderr, text);
}

/**
 * Tells why it could not. A reader that has gone is no reason: `head` has read enough, and a `tee` that the terminal's
 * Ctrl-C has ended must not end the calls that a server still lets finish.
 */
function write(stream: NodeJS.WriteStream, text: string): Error | null {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  stream.write(`${text}\n`);
  return systemCodeOf(stream.errored) === 'EPIPE' ? null : stream.errored;
}

function ignore(): void {}

/** What one field of a row holds. */
export type Cell = string | number | boolean | null;
export type ListFlags = { json?: boolean };

export const jsonOption = ['--json', 'as JSON, for programs'] as const;

/** Rows as columns for people, or as objects for programs. The fields are the names of both. */
export function printList(
  fields: readonly string[],
  rows: readonly (readonly Cell[])[],
  { json = false }: ListFlags,
): void {
  const header = fields.map((field) => field.replaceAll('_', ' ').toUpperCase());
  const texts = rows.map((row) => row.map(cellText));
  if (json) printJson(rows.map((row) => Object.fromEntries(fields.map((field, i) => [field, row[i]]))));
  else print(renderTable(header, texts));
}

export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2));
}

function cellText(cell: Cell): string {
  if (cell === null) return '-';
  if (typeof cell === 'boolean') return cell ? 'yes' : 'no';
  return String(cell);
}

/** Columns under a header, separated by two spaces. */
export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const render = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => render(line).trimEnd()).join('\n');
}
