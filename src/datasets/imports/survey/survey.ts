import { detectShape } from '../mapping/detect-shape.ts';
import { isMapping, readMapping } from '../mapping/mapping.ts';
import type { OpenedFile } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { createJudges, type JudgedBlock, type Judges } from './judges.ts';
import { type RowBlock, type RowBlocks, rowBlocksOf, rowsOf, sourceOf } from './row-block.ts';
import type { Survey, SurveyOptions } from './survey-options.ts';
import { SurveyState } from './survey-state.ts';

/** Reads every row of a file and tells what is in it. */
export async function survey(file: OpenedFile, options: SurveyOptions): Promise<Survey> {
  const { kind, ruler, sampleRows, threads = 0 } = options;
  const blocks = rowBlocksOf(file);
  const { first, rest } = await firstRows(blocks, sampleRows);
  const fields = first.flatMap((row) => (row.fields ? [row.fields] : []));
  const detected = detectShape(kind, fields);
  const wire = options.mapping ?? detected.mapping;
  const read = wire && readMapping(wire, { kind, columns: null });
  const mapping = read && isMapping(read) ? read : null;
  const judges = createJudges(
    { kind, mapping, basis: ruler?.basis ?? null, maxRowBytes: blocks.maxRowBytes },
    { countTexts: ruler?.countTexts ?? nobodyCounts, threads },
  );
  const state = new SurveyState(options);
  try {
    let lines = 0;
    for await (const { block, judged } of inOrder(rest, judges)) {
      await state.take(judged, sourceOf(block, { lines }, blocks.maxRowBytes));
      lines += judged.lines;
      blocks.release(block);
      judges.release(judged);
      await options.onRows(state.rows);
    }
  } finally {
    await judges.close();
  }
  return state.finding(file, { detected, wire });
}

async function nobodyCounts(): Promise<never> {
  throw new Error('Nobody is there to count. This is a bug.');
}

/** The first rows, and all blocks. */
async function firstRows(
  { blocks, maxRowBytes }: RowBlocks,
  wanted: number,
): Promise<{ first: SourceRow[]; rest: AsyncIterable<RowBlock> }> {
  const iterator = blocks[Symbol.asyncIterator]();
  const begun: RowBlock[] = [];
  const first: SourceRow[] = [];
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    begun.push(next.value);
    for (const row of rowsOf(next.value, maxRowBytes).rows) {
      if (first.length >= wanted) break;
      first.push(row);
    }
    if (first.length >= wanted) break;
  }
  async function* rest(): AsyncGenerator<RowBlock> {
    try {
      yield* begun.splice(0);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { first, rest: rest() };
}

/** Blocks as they are in the file, while the next ones are judged. */
async function* inOrder(blocks: AsyncIterable<RowBlock>, judges: Judges): AsyncGenerator<JudgedBlock> {
  const judging: Promise<JudgedBlock>[] = [];
  for await (const block of blocks) {
    const judged = judges.judge(block);
    // It is waited for later, or never.
    judged.catch(() => {});
    judging.push(judged);
    const first = judging.length >= judges.atOnce ? judging.shift() : undefined;
    if (first) yield await first;
  }
  for (const judged of judging) yield await judged;
}
