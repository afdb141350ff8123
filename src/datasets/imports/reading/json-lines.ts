import { type LineBlocks, readBlock } from './line-blocks.ts';
import { batchRows, type SourceRow } from './source-row.ts';

/** Reads one JSON object a line; empty lines count but are no rows. */
export async function* readJsonLines({ blocks, release, maxRowBytes }: LineBlocks): AsyncGenerator<SourceRow[]> {
  let linesBefore = 0;
  for await (const block of blocks) {
    const { rows, lines } = readBlock(block, { maxRowBytes }, { lines: linesBefore, byteOffset: block.byteOffset });
    let batch: SourceRow[] = [];
    for (const row of rows) {
      batch.push(row);
      if (batch.length < batchRows) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
    linesBefore += lines();
    release(block.buffer.buffer);
  }
}
