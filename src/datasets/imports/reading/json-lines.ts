import { readJsonRow } from './read-json-row.ts';
import { batchesOf, type ReadBounds, RowBuffer, type SourceRow, tooLongRow } from './source-row.ts';

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
  readonly #buffer: RowBuffer;
  #line = 0;
  #byteOffset = 0;

  constructor(maxRowBytes: number) {
    this.#maxRowBytes = maxRowBytes;
    this.#buffer = new RowBuffer(maxRowBytes);
  }

  *read(chunk: Buffer): Generator<SourceRow> {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#buffer.append(chunk.subarray(from, end));
      const row = this.endLine();
      if (row) yield row;
      from = end + 1;
    }
    if (from < chunk.length) this.#buffer.append(chunk.subarray(from));
  }

  /** Null: the line is empty. */
  endLine(): SourceRow | null {
    const location = { line: ++this.#line, byteOffset: this.#byteOffset };
    this.#byteOffset += this.#buffer.bytes + 1;
    const { text, isTooLong } = this.#buffer.take();
    if (isTooLong) return tooLongRow(text, location, this.#maxRowBytes);
    return text.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09) ? null : readJsonRow(text, location);
  }
}
