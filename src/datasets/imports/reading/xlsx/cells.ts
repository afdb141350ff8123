import { columnOf, lettersOf, type NumberKind, readableText, textOfNumber } from './cell-values.ts';
import type { SharedStrings } from './shared-strings.ts';
import { type CellText, TextCollector, tooLong } from './text-collector.ts';
import type { Attributes, XmlHandler } from './xml.ts';

export type SheetCell = { column: number; value: CellText | typeof uncalculated };

/** A formula whose value the file does not have. */
export const uncalculated = Symbol('uncalculated');

export type SheetRow = {
  /** From 1, as the spreadsheet shows it. */
  number: number;
  /** Those with a value, up to `maxColumns`. */
  cells: SheetCell[];
  /** One more than the last column with a value. */
  columns: number;
};

export type CellContext = {
  strings: Pick<SharedStrings, 'at'>;
  kinds: readonly NumberKind[];
  startsIn1904: boolean;
  maxColumns: number;
  maxRowBytes: number;
};

/** Gathers rows with a value from the elements of a sheet. */
export class CellReader implements XmlHandler {
  readonly #context: CellContext;
  readonly #inline: TextCollector;
  readonly #stored: TextCollector;
  #rows: SheetRow[] = [];
  #row: SheetRow = { number: 0, cells: [], columns: 0 };
  #next = 0;
  #cell: { column: number; attributes: Attributes; hasFormula: boolean } | null = null;
  #isInValue = false;

  constructor(context: CellContext) {
    this.#context = context;
    this.#inline = new TextCollector(context.maxRowBytes);
    this.#stored = new TextCollector(context.maxRowBytes);
  }

  takeRows(): SheetRow[] {
    return this.#rows.splice(0);
  }

  open(name: string, attributes: Attributes): void {
    if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f' && this.#cell) this.#cell.hasFormula = true;
    else if (name === 'v') {
      this.#isInValue = true;
      this.#stored.open('t');
    } else this.#inline.open(name);
  }

  text(text: string): void {
    if (this.#isInValue) this.#stored.add(text);
    else this.#inline.add(text);
  }

  close(name: string): void {
    if (name === 'row') this.#closeRow();
    else if (name === 'c') this.#closeCell();
    else if (name === 'v') {
      this.#isInValue = false;
      this.#stored.close('t');
    } else this.#inline.close(name);
  }

  /** Writers may leave out numbers that go on by one. */
  #openRow({ r }: Attributes): void {
    const number = Number(r);
    this.#row = {
      number: Number.isInteger(number) && number > 0 ? number : this.#row.number + 1,
      cells: [],
      columns: 0,
    };
    this.#next = 0;
  }

  #openCell(attributes: Attributes): void {
    const column = columnOf(attributes['r']) ?? this.#next;
    this.#next = column + 1;
    this.#cell = { column, attributes, hasFormula: false };
    this.#inline.take();
    this.#stored.take();
  }

  #closeCell(): void {
    if (!this.#cell) return;
    const { column, attributes, hasFormula } = this.#cell;
    this.#cell = null;
    const value = this.#valueOf(attributes, hasFormula);
    if (value === null || value === '') return;
    const { cells } = this.#row;
    this.#row.columns = Math.max(this.#row.columns, column + 1);
    if (column < this.#context.maxColumns && cells.length < this.#context.maxColumns) cells.push({ column, value });
  }

  #closeRow(): void {
    if (this.#row.columns > 0) this.#rows.push(this.#row);
  }

  #valueOf({ t: type = 'n', s: style = '0' }: Attributes, hasFormula: boolean): SheetCell['value'] | null {
    if (type === 'inlineStr') return readable(this.#inline.take());
    const stored = this.#stored.take();
    if (stored === tooLong) return tooLong;
    if (stored === '') return hasFormula && type !== 'str' ? uncalculated : null;
    switch (type) {
      case 's':
        return this.#context.strings.at(Number(stored)) ?? null;
      case 'b':
        return stored === '1' || stored === 'true' ? 'TRUE' : 'FALSE';
      // Such as #N/A: what a formula gives instead of a value.
      case 'e':
        return null;
      case 'n':
        return textOfNumber(stored, this.#context.kinds[Number(style)] ?? 'number', this.#context);
      default:
        return readable(stored);
    }
  }
}

function readable(text: CellText): CellText {
  return text === tooLong ? text : readableText(text);
}

export function addressOf(column: number, row: number): string {
  return `${lettersOf(column)}${row}`;
}
