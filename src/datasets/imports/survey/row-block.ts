import {
  type BlockRows,
  excerptOf,
  type LineBlock,
  type LineBlocks,
  readBlock,
  readBlockAgain,
} from '../reading/line-blocks.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import type { RowFacts } from './judged.ts';
import type { PlainRow, ReadPlain } from './plain/plain-rows.ts';

/** Rows that are judged together: text of which each thread can read them, or rows that were read already. */
export type RowBlock = { type: 'lines'; block: LineBlock } | { type: 'rows'; rows: SourceRow[] };

/** The blocks of a file, and where a judge's memory of them goes. */
export type RowBlocks = {
  blocks: AsyncIterable<RowBlock>;
  maxRowBytes: number;
  release: (block: RowBlock) => void;
};

export function rowBlocksOf({ lines, rows }: Pick<OpenedFile, 'lines' | 'rows'>): RowBlocks {
  if (!lines) return { blocks: readBlocks(rows), maxRowBytes: 0, release: () => {} };
  return {
    blocks: lineBlocks(lines),
    maxRowBytes: lines.maxRowBytes,
    release: (block) => {
      if (block.type === 'lines') lines.release(block.block.buffer.buffer);
    },
  };
}

async function* readBlocks(batches: AsyncIterable<SourceRow[]>): AsyncGenerator<RowBlock> {
  for await (const rows of batches) yield { type: 'rows', rows };
}

async function* lineBlocks({ blocks }: LineBlocks): AsyncGenerator<RowBlock> {
  for await (const block of blocks) yield { type: 'lines', block };
}

const beginning = { lines: 0, byteOffset: 0 };

/** Places of lines are counted from where the block begins: nobody knows yet how many lines are before it. */
export function rowsOf(block: RowBlock, maxRowBytes: number): BlockRows {
  if (block.type === 'rows') return { rows: block.rows, lines: () => 0 };
  return readBlock(block.block, { maxRowBytes }, beginning);
}

/** The same, but that usual rows are not read whole. */
export function usualRowsOf(
  block: RowBlock,
  maxRowBytes: number,
  readFirst: ReadPlain | null,
): BlockRows<SourceRow | PlainRow> {
  if (block.type === 'rows') return { rows: block.rows, lines: () => 0 };
  return readBlock(block.block, { maxRowBytes, readFirst }, beginning);
}

/** Rows of a block that was judged, for the few that are looked at again. */
export type RowSource = {
  /** Where it is in the file, and its beginning. */
  place: (row: number, facts: RowFacts) => Pick<SourceRow, 'line' | 'byteOffset' | 'excerpt'>;
  read: (row: number, facts: RowFacts) => SourceRow;
};

export function sourceOf(block: RowBlock, before: { lines: number }, maxRowBytes: number): RowSource {
  if (block.type === 'rows') {
    const read = (row: number) => {
      const source = block.rows[row];
      if (!source) throw new Error('A row that was judged is not there. This is a bug.');
      return source;
    };
    return { place: read, read };
  }
  const lines = block.block;
  const placeOf = ({ line, at }: RowFacts) => ({ line: before.lines + line, byteOffset: lines.byteOffset + at });
  return {
    place: (_, facts) => ({ ...placeOf(facts), excerpt: () => excerptOf(lines, facts.at) }),
    read: (_, facts) => readBlockAgain(lines, { at: facts.at, ...placeOf(facts) }, maxRowBytes),
  };
}
