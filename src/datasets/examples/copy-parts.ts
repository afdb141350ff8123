const signature = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const end = Buffer.from([0xff, 0xff]);

/** Rows in the binary format of PostgreSQL's `copy`, taken out of what `CopyRows` made. */
export function rowsOnly(pieces: readonly Buffer[]): Buffer {
  return Buffer.concat(pieces).subarray(signature.length, -end.length);
}

/** The same, as data of a `copy`. */
export function asCopy(rows: readonly Buffer[]): Buffer[] {
  return [signature, ...rows, end];
}

/**
 * Memory for rows of a `copy` that grows to what is needed and is used again: while the database takes what is in one half, the
 * other is filled.
 */
export class CopyMemory {
  #filling: Buffer;
  #taken: Buffer;
  #used = 0;

  constructor(bytes: number) {
    this.#filling = Buffer.allocUnsafeSlow(bytes);
    this.#taken = Buffer.allocUnsafeSlow(bytes);
  }

  get used(): number {
    return this.#used;
  }

  /** Room for so many bytes more, after what was written. */
  room(bytes: number): { into: Buffer; at: number } {
    const at = this.#used;
    this.#used += bytes;
    if (this.#used > this.#filling.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#used, this.#filling.length * 2));
      this.#filling.copy(larger, 0, 0, at);
      this.#filling = larger;
    }
    return { into: this.#filling, at };
  }

  /** Appends what was written here to another memory. */
  moveBehind(other: CopyMemory): void {
    const { into, at } = other.room(this.#used);
    this.#filling.copy(into, at, 0, this.#used);
    this.#used = 0;
  }

  /** What was written so far; valid until something is written after the next `take`. */
  take(): Buffer {
    const taken = this.#filling.subarray(0, this.#used);
    [this.#filling, this.#taken] = [this.#taken, this.#filling];
    this.#used = 0;
    return taken;
  }
}
