import { readJsonRow } from './read-json-row.ts';
import { batchRows, brokenRow, type ReadBounds, type SourceRow } from './source-row.ts';

const newline = 0x0a;
const maxBatchBytes = 1 << 20;

/** Reads one JSON object a line; empty lines count but are no rows. */
export async function* readJsonLines(chunks: AsyncIterable<Buffer>, bounds: ReadBounds): AsyncGenerator<SourceRow[]> {
  const { maxRowBytes } = bounds;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let line = 1;
  let offset = 0;
  let batch: SourceRow[] = [];
  let batchBytes = 0;

  /** The bytes of the line that ends here; of one that is too long, its beginning. */
  function finish(last: Buffer, endsWithNewline: boolean): void {
    const length = pendingBytes + last.length;
    if (length > maxRowBytes) {
      const beginning = Buffer.concat([...pending, last]).toString('utf8', 0, 1_000);
      const message = `The row is longer than ${maxRowBytes} bytes.`;
      batch.push(brokenRow({ line, byteOffset: offset }, { code: 'too_large', message }, beginning));
    } else {
      const bytes = pending.length === 0 ? last : Buffer.concat([...pending, last]);
      if (!isBlank(bytes)) batch.push(readJsonRow(bytes, { line, byteOffset: offset }));
    }
    batchBytes += Math.min(length, maxRowBytes);
    offset += length + (endsWithNewline ? 1 : 0);
    line++;
    pending = [];
    pendingBytes = 0;
  }

  for await (const chunk of chunks) {
    let at = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, at)) {
      finish(chunk.subarray(at, end), true);
      at = end + 1;
      if (batch.length >= batchRows || batchBytes >= maxBatchBytes) {
        yield batch;
        batch = [];
        batchBytes = 0;
      }
    }
    const rest = chunk.subarray(at);
    // Of a line without end only what an excerpt needs is kept.
    if (pendingBytes <= maxRowBytes && rest.length > 0) pending.push(rest);
    pendingBytes += rest.length;
  }
  if (pendingBytes > 0) finish(Buffer.alloc(0), false);
  if (batch.length > 0) yield batch;
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}
