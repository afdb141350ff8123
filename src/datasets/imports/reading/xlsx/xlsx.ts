import { rm } from 'node:fs/promises';
import { columnNames } from '../column-names.ts';
import { ImportFailure } from '../import-failure.ts';
import { checkGrowth, checkTextBytes } from '../read-limits.ts';
import { batchesOf, brokenRow, excerptFrom, type ReadBounds, type SourceRow } from '../source-row.ts';
import { Archive } from './archive.ts';
import { addressOf, CellReader, type SheetRow, uncalculated } from './cells.ts';
import { SharedStrings } from './shared-strings.ts';
import { tooLong } from './text-collector.ts';
import { readWorkbook, type Sheet, type Workbook } from './workbook.ts';
import { parseXml } from './xml.ts';

export type XlsxBounds = { packedBytes: number; bounds: ReadBounds };

/** Up to this size any ratio is allowed: a text that many cells share is stored once. */
const freeBytes = 256 * 1024 * 1024;

export type OpenedSheet = { sheet: string; sheets: string[]; rows: AsyncGenerator<SourceRow[]> };

/** Reads a sheet of a workbook on disk: the one of this name, or else the first that is shown and has rows. */
export async function openXlsx(path: string, requested: string | null, limits: XlsxBounds): Promise<OpenedSheet> {
  const archive = await Archive.open(path, archiveBounds(limits));
  try {
    const workbook = await readWorkbook(archive);
    const sheet = requested === null ? await firstWithRows(archive, workbook) : sheetNamed(workbook, requested);
    const sheets = workbook.sheets.map(({ name }) => name);
    return { sheet: sheet.name, sheets, rows: rowsOf(path, { workbook, sheet, ...limits }) };
  } finally {
    archive.close();
  }
}

const archiveBounds = ({ packedBytes, bounds: { maxTextBytes } }: XlsxBounds) => ({ packedBytes, maxTextBytes });

function sheetNamed({ sheets }: Workbook, requested: string): Sheet {
  const found = sheets.find(({ name }) => name === requested);
  if (found) return found;
  const names = sheets.slice(0, 20).map(({ name }) => name);
  throw new ImportFailure('unknown_sheet', `The workbook has no sheet ${JSON.stringify(requested)}.`, {
    details: { sheets: names },
    hint: `It has ${names.map((name) => JSON.stringify(name)).join(', ')}.`,
  });
}

async function firstWithRows(archive: Archive, { sheets }: Workbook): Promise<Sheet> {
  const shown = sheets.filter(({ isHidden }) => !isHidden);
  const [first = sheets[0]] = shown;
  if (!first) throw new Error('A workbook without sheets was read. This is a bug.');
  for (const sheet of shown.length > 1 ? shown : []) if (await hasRows(archive, sheet)) return sheet;
  return first;
}

/** Whether a row follows the one that names the columns. Which texts cells refer to does not matter for that. */
async function hasRows(archive: Archive, { part }: Sheet): Promise<boolean> {
  const strings = { at: () => 'text' };
  const reader = new CellReader({ strings, kinds: [], startsIn1904: false, maxColumns: 1, maxRowBytes: 1_000 });
  let rows = 0;
  for await (const _ of parseXml(archive.read(part), reader)) {
    rows += reader.takeRows().length;
    if (rows > 1) return true;
  }
  return false;
}

type SheetToRead = XlsxBounds & { workbook: Workbook; sheet: Sheet };

async function* rowsOf(path: string, input: SheetToRead): AsyncGenerator<SourceRow[]> {
  const { workbook, sheet, bounds } = input;
  const archive = await Archive.open(path, archiveBounds(input));
  const stringsPath = `${path}.strings`;
  let strings: SharedStrings | null = null;
  try {
    const place = { path: stringsPath, maxBytes: bounds.maxRowBytes };
    strings = await SharedStrings.read(archive, workbook.stringsPart, place);
    const cells = new CellReader({ ...workbook, ...bounds, strings });
    const table = new Table(input);
    for await (const _ of parseXml(archive.read(sheet.part), cells))
      yield* batchesOf(table.rowsOf(cells.takeRows()), () => table.bytes);
    if (!table.hasColumns)
      throw new ImportFailure(
        'empty_file',
        `The sheet ${JSON.stringify(sheet.name)} has no row that names its columns.`,
      );
  } finally {
    strings?.close();
    archive.close();
    await rm(stringsPath, { force: true });
  }
}

/** Makes records of rows. The first row with a value names the columns. */
class Table {
  readonly #input: SheetToRead;
  #columns: readonly string[] | null = null;
  /** Of all rows so far: what their cells have in them, also where they share a text. */
  bytes = 0;

  constructor(input: SheetToRead) {
    this.#input = input;
  }

  get hasColumns(): boolean {
    return this.#columns !== null;
  }

  *rowsOf(rows: readonly SheetRow[]): Generator<SourceRow> {
    for (const row of rows)
      if (this.#columns === null) this.#columns = this.#columnsOf(row);
      else yield this.#record(row, this.#columns);
  }

  #columnsOf({ cells, columns }: SheetRow): string[] {
    const names = Array.from({ length: columns }, () => '');
    for (const { column, value } of cells) names[column] = typeof value === 'string' ? value : '';
    return columnNames(names, this.#input.bounds.maxColumns, 'Does the first row name the columns?');
  }

  #record({ number, cells, columns }: SheetRow, names: readonly string[]): SourceRow {
    const { maxColumns, maxRowBytes } = this.#input.bounds;
    const location = { line: number, byteOffset: null };
    const excerpt = () => excerptFrom(cells.map(({ value }) => (typeof value === 'string' ? value : '')).join(', '));
    if (columns > maxColumns) {
      const message = `The row has a value in column ${columns}; at most ${maxColumns} columns can be read.`;
      return brokenRow(location, { code: 'wrong_type', message, hint: 'Empty the cells beside the table.' }, excerpt());
    }
    // Without a prototype, "__proto__" is a name like any other.
    const fields: Record<string, unknown> = Object.create(null);
    for (const name of names) fields[name] = null;
    let bytes = 0;
    for (const { column, value } of cells) {
      if (value === uncalculated) {
        const message = `The formula in ${addressOf(column, number)} has no stored value.`;
        return brokenRow(location, { code: 'wrong_type', message, hint: calculateHint }, excerpt());
      }
      bytes += value === tooLong ? maxRowBytes + 1 : Buffer.byteLength(value);
      if (bytes > maxRowBytes) break;
      // Beside the columns that have a name.
      if (value !== tooLong) fields[names[column] ?? `column_${column + 1}`] = value;
    }
    this.#count(Math.min(bytes, maxRowBytes));
    if (bytes > maxRowBytes) {
      const message = `The row is longer than ${maxRowBytes} bytes.`;
      return brokenRow(location, { code: 'too_large', message }, excerpt());
    }
    return { ...location, fields, problem: null, excerpt };
  }

  #count(bytes: number): void {
    const { packedBytes, bounds } = this.#input;
    this.bytes += bytes;
    checkTextBytes(this.bytes, bounds.maxTextBytes);
    checkGrowth(this.bytes, { packedBytes, freeBytes, hint: 'Save the sheet as CSV and upload that.' });
  }
}

const calculateHint = 'Open the file in Excel or LibreOffice and save it: formulas are calculated then.';
