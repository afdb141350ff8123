import { type ListPage, messageOf, type PageRequest, systemCodeOf } from '#kernel';

/**
 * Results go to stdout, where scripts read them; messages for people go to stderr. If a result cannot be written, for
 * example to a full disk, the exit code says that the command failed.
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
 * Writes a line; returns the error if that failed. A reader that has gone is no error: `head` may have read enough,
 * and a `tee` that Ctrl-C ended must not end a server that lets its calls finish.
 */
function write(stream: NodeJS.WriteStream, text: string): Error | null {
  if (!stream.listeners('error').includes(ignore)) stream.on('error', ignore);
  stream.write(`${text}\n`);
  return systemCodeOf(stream.errored) === 'EPIPE' ? null : stream.errored;
}

function ignore(): void {}

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

export function renderTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const render = (line: readonly string[]) => line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return lines.map((line) => render(line).trimEnd()).join('\n');
}

const pageSize = 100;

export async function everyRow<Row>(list: (page: PageRequest) => Promise<ListPage<Row>>): Promise<Row[]> {
  const all: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const { rows, limit, cursorOf }: ListPage<Row> = await list({ limit: pageSize, cursor });
    const shown = rows.slice(0, limit);
    all.push(...shown);
    const last = shown.at(-1);
    if (rows.length <= limit || !last) return all;
    cursor = cursorOf(last);
  }
}
