import type pg from 'pg';
import type { Deadline, Deadlines } from './deadlines.ts';
import { preparedMessages } from './prepared-messages.ts';

type Row = Record<string, unknown>;
/** How the text of a column is read, and what it is called. */
type Column = { name: string; read: (text: string) => unknown };
/** What the result of a statement looks like. `empty` is copied for each row: its fields need not be made anew. */
type Shape = { columns: readonly Column[]; empty: Row };

/** Of one connection, by the names of its statements. PostgreSQL refuses to run one whose result would no longer be of its shape. */
export type Shapes = Map<string, Shape>;

type Run = { name: string; text: string; values: readonly (string | null)[]; timeoutMs: number };
type Reading = { shapes: Shapes; typeParserOf: (oid: number) => (text: string) => unknown; deadlines: Deadlines };

/**
 * One run of a prepared statement, as a query of the driver. The driver's own asks each time what the result looks like, reads
 * that, and makes some dozen objects of it: with a few calls for each statement that is a large part of what a call costs.
 */
export class PreparedRun implements pg.Submittable {
  /** Read by the driver, as the one below is: it remembers which statements a connection knows. */
  readonly name: string;
  readonly text: string;
  readonly #timeoutMs: number;
  readonly #values: readonly (string | null)[];
  readonly #reading: Reading;
  readonly #end = Promise.withResolvers<Row[]>();
  readonly #rows: Row[] = [];
  #shape: Shape | null = null;
  #deadline: Deadline | null = null;
  #trouble: { error: unknown } | null = null;

  constructor({ name, text, values, timeoutMs }: Run, reading: Reading) {
    this.name = name;
    this.text = text;
    this.#timeoutMs = timeoutMs;
    this.#values = values;
    this.#reading = reading;
  }

  get rows(): Promise<Row[]> {
    return this.#end.promise;
  }

  /** For the driver, as everything below is. What it returns is why the statement cannot be sent. */
  submit(connection: pg.Connection): Error | null {
    const { name, text } = this;
    const known = textsIn(connection)[name];
    if (known !== undefined && known !== text) return new Error(`There are two statements ${name}. This is a bug.`);
    this.#shape = this.#reading.shapes.get(name) ?? null;
    this.#deadline = this.#reading.deadlines.add(this.#timeoutMs, () =>
      this.handleError(new Error('It took too long.')),
    );
    const messages = { name, text: known === undefined ? text : null, values: this.#values };
    if (connection.stream.writable)
      connection.stream.write(preparedMessages({ ...messages, describes: this.#shape === null }));
    return null;
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    const { shapes, typeParserOf } = this.#reading;
    const columns = fields.map(({ name, dataTypeID }) => ({ name, read: typeParserOf(dataTypeID) }));
    this.#shape = { columns, empty: Object.fromEntries(columns.map(({ name }) => [name, null])) };
    shapes.set(this.name, this.#shape);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    if (this.#shape === null || this.#trouble !== null) return;
    const { columns, empty } = this.#shape;
    const row = { ...empty };
    try {
      for (const [index, text] of fields.entries()) {
        const column = columns[index];
        if (column && text !== null) row[column.name] = column.read(text);
      }
    } catch (error) {
      this.#trouble = { error };
    }
    this.#rows.push(row);
  }

  handleCommandComplete(): void {}

  handleEmptyQuery(): void {}

  handleReadyForQuery(): void {
    this.#deadline?.end();
    if (this.#trouble) this.#end.reject(this.#trouble.error);
    else this.#end.resolve(this.#rows);
  }

  handleError(error: Error): void {
    this.#deadline?.end();
    this.#end.reject(error);
  }
}

/** Statements that the connection has parsed, as the driver keeps them. */
function textsIn(connection: pg.Connection): Record<string, string> {
  const texts: unknown = Reflect.get(connection, 'parsedStatements');
  if (typeof texts !== 'object' || texts === null) throw new Error('The driver keeps no statements. This is a bug.');
  // as: the driver puts texts there by their names.
  return texts as Record<string, string>;
}
