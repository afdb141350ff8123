import { readJsonRow } from './read-json-row.ts';
import { batchesOf, type ReadBounds, type SourceRow, tooLongRow } from './source-row.ts';

const newline = 0x0a;

/** Reads one JSON object a line; empty lines count but are no rows. */
export async function* readJsonLines(chunks: AsyncIterable<Buffer>, bounds: ReadBounds): AsyncGenerator<SourceRow[]> {
  const reader = new LineReader(bounds.maxRowBytes);
  for await (const chunk of chunks) yield* batchesOf(reader.read(chunk));
  const last = reader.endLine();
  if (last) yield [last];
}

class LineReader {
  readonly #maxRowBytes: number;
  /** Pieces of the line that has not ended yet; of one that is too long only the first ones. */
  #pieces: Buffer[] = [];
  #bytes = 0;
  #line = 0;
  #byteOffset = 0;

  constructor(maxRowBytes: number) {
    this.#maxRowBytes = maxRowBytes;
  }

  *read(chunk: Buffer): Generator<SourceRow> {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#append(chunk.subarray(from, end));
      const row = this.endLine();
      if (row) yield row;
      from = end + 1;
    }
    if (from < chunk.length) this.#append(chunk.subarray(from));
  }

  /** Null: the line is empty. */
  endLine(): SourceRow | null {
    const location = { line: ++this.#line, byteOffset: this.#byteOffset };
    const text = joined(this.#pieces);
    const isTooLong = this.#bytes > this.#maxRowBytes;
    this.#byteOffset += this.#bytes + 1;
    this.#pieces = [];
    this.#bytes = 0;
    if (isTooLong) return tooLongRow(text, location, this.#maxRowBytes);
    return isBlank(text) ? null : readJsonRow(text, location);
  }

  #append(piece: Buffer): void {
    if (this.#bytes <= this.#maxRowBytes) this.#pieces.push(piece);
    this.#bytes += piece.length;
  }
}

function joined(pieces: readonly Buffer[]): Buffer {
  const [first] = pieces;
  return first && pieces.length === 1 ? first : Buffer.concat(pieces);
}

function isBlank(text: Buffer): boolean {
  return text.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09);
}
