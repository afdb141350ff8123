/** Rows are collected in pieces of this size: large ones go to the database without being copied. */
const pieceBytes = 1 << 20;
/** UTF-8 takes at most as many bytes for each unit of a string. */
const mostBytesPerUnit = 3;
const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const noField = -1;
const jsonbVersion = 1;

/** Rows in the binary format of PostgreSQL's `copy`: nothing is escaped here and nothing parsed there. */
export class CopyRows {
  readonly #columns: number;
  readonly #pieces: Buffer[] = [];
  #piece = Buffer.allocUnsafe(pieceBytes);
  #at: number;

  constructor(columns: number) {
    this.#columns = columns;
    this.#at = signature.copy(this.#piece);
  }

  /** Every row has all of its columns, in order. */
  row(): void {
    this.#reserve(2);
    this.#at = this.#piece.writeInt16BE(this.#columns, this.#at);
  }

  text(value: string | null): void {
    if (value === null) {
      this.null();
      return;
    }
    this.#reserve(4 + value.length * mostBytesPerUnit);
    const written = this.#piece.write(value, this.#at + 4);
    this.#piece.writeInt32BE(written, this.#at);
    this.#at += 4 + written;
  }

  jsonb(value: unknown): void {
    const text = JSON.stringify(value);
    this.#reserve(5 + text.length * mostBytesPerUnit);
    const written = this.#piece.write(text, this.#at + 5);
    this.#piece.writeInt32BE(written + 1, this.#at);
    this.#piece[this.#at + 4] = jsonbVersion;
    this.#at += 5 + written;
  }

  bytes(value: Buffer): void {
    this.#field(value.length);
    this.#reserve(value.length);
    this.#at += value.copy(this.#piece, this.#at);
  }

  int4(value: number | null): void {
    if (value === null) {
      this.null();
      return;
    }
    this.#field(4);
    this.#reserve(4);
    this.#at = this.#piece.writeInt32BE(value, this.#at);
  }

  int8(value: bigint): void {
    this.#field(8);
    this.#reserve(8);
    this.#at = this.#piece.writeBigInt64BE(value, this.#at);
  }

  bool(value: boolean): void {
    this.#field(1);
    this.#reserve(1);
    this.#at = this.#piece.writeUInt8(value ? 1 : 0, this.#at);
  }

  null(): void {
    this.#field(noField);
  }

  /** All of it, with the mark of the end. */
  end(): Buffer[] {
    this.#reserve(2);
    this.#at = this.#piece.writeInt16BE(noField, this.#at);
    return [...this.#pieces.splice(0), this.#piece.subarray(0, this.#at)];
  }

  #field(length: number): void {
    this.#reserve(4);
    this.#at = this.#piece.writeInt32BE(length, this.#at);
  }

  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#piece.length) return;
    this.#pieces.push(this.#piece.subarray(0, this.#at));
    this.#piece = Buffer.allocUnsafe(Math.max(pieceBytes, bytes));
    this.#at = 0;
  }
}
