import { createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { bounded, digestingStream, gunzip, peek } from './byte-stream.ts';
import { checkHeader, readDelimited } from './delimited.ts';
import {
  type BinaryFormat,
  countColumns,
  detectBinaryFormat,
  detectDelimiter,
  detectTextFormat,
  isGzip,
} from './detect-format.ts';
import { detectEncoding, toUtf8 } from './encoding.ts';
import { ImportFailure } from './import-failure.ts';
import { readJsonArray } from './json-array.ts';
import { readJsonLines } from './json-lines.ts';
import type { FileFormat, ReadBounds, SourceRow } from './source-row.ts';

/** What the caller knows about the file; null: detected. */
export type ReadOptions = {
  format: FileFormat | null;
  encoding: string | null;
  delimiter: string | null;
  /** Of a workbook; left out: the first one with rows. */
  sheet?: string | null;
};

export type FileToRead = { name: string; sizeBytes: number; bytes: Readable };

export type DetectedFormat = {
  format: FileFormat;
  encoding: string | null;
  delimiter: string | null;
  gzip: boolean;
  /** The sheet of a workbook that is read; null for other formats. */
  sheet: string | null;
  sheets: readonly string[];
};

export type OpenedFile = DetectedFormat & {
  rows: AsyncIterable<SourceRow[]>;
  /** Of the file as it was uploaded, so far. */
  bytesRead: () => number;
  /** Digest of the file, once its rows are read. */
  finish: () => Promise<string>;
};

export type OpenOptions = {
  options: ReadOptions;
  bounds: ReadBounds;
  /** For formats that cannot be read as they come. */
  tempDir: string;
};

const sampleBytes = 64 * 1024;

/** Detects the format of a file and reads its rows as they come. Throws `ImportFailure` for what cannot be read. */
export async function openRows(file: FileToRead, { options, bounds, tempDir }: OpenOptions): Promise<OpenedFile> {
  const source = digestingStream(file.bytes);
  const packed = await peek(source.chunks, sampleBytes);
  if (packed.sample.length === 0) throw new ImportFailure('empty_file', 'The file is empty.');
  const gzip = isGzip(packed.sample);
  const unpacked = gzip
    ? gunzip(Readable.from(packed.chunks, { objectMode: true, highWaterMark: 4 }), { packedBytes: file.sizeBytes })
    : packed.chunks;
  const { sample, chunks } = await peek(bounded(unpacked, bounds.maxTextBytes), sampleBytes);
  if (sample.length === 0) throw new ImportFailure('empty_file', 'The file is empty.');
  const end = { bytesRead: source.bytes, finish: source.finish };
  const binary = detectBinaryFormat(sample);
  const opened =
    binary === null
      ? await openText({ sample, chunks }, { options, bounds, fileName: file.name })
      : await openBinary(binary, chunks, { options, packedBytes: file.sizeBytes, bounds, tempDir });
  return { sheet: null, sheets: [], ...opened, gzip, ...end };
}

function checkRequestedFormat(requested: FileFormat | null, found: BinaryFormat): void {
  if (requested === null || requested === found) return;
  const name = found === 'parquet' ? 'Parquet' : 'a ZIP archive, as Excel workbooks are';
  throw new ImportFailure('wrong_format', `The format is said to be ${requested}, but the file is ${name}.`, {
    details: { format: requested },
  });
}

type BinaryOptions = { options: ReadOptions; packedBytes: number; bounds: ReadBounds; tempDir: string };

/** These have their index at the end, so they are read from the disk. Their readers are large, and most files are text. */
async function openBinary(
  format: BinaryFormat,
  chunks: AsyncIterable<Buffer>,
  { options, packedBytes, bounds, tempDir }: BinaryOptions,
) {
  checkRequestedFormat(options.format, format);
  const file = path.join(tempDir, `file.${format}`);
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  await pipeline(chunks, createWriteStream(file));
  const limits = { packedBytes, bounds };
  const opened = await openers[format](file, options.sheet ?? null, limits).catch(async (error: unknown) => {
    await rm(file, { force: true });
    throw error;
  });
  async function* rows(): AsyncGenerator<SourceRow[]> {
    try {
      yield* opened.rows;
    } finally {
      await rm(file, { force: true });
    }
  }
  return { encoding: null, delimiter: null, ...opened, format, rows: rows() };
}

const openers = {
  async parquet(file: string, _: string | null, limits: BinaryLimits) {
    const { readParquet } = await import('./parquet.ts');
    return { rows: readParquet(file, limits) };
  },
  async xlsx(file: string, sheet: string | null, limits: BinaryLimits) {
    const { openXlsx } = await import('./xlsx/xlsx.ts');
    return openXlsx(file, sheet, limits);
  },
};

type BinaryLimits = Pick<BinaryOptions, 'packedBytes' | 'bounds'>;

type Text = { sample: Buffer; chunks: AsyncIterable<Buffer> };
type TextOptions = { options: ReadOptions; bounds: ReadBounds; fileName: string };

async function openText({ sample, chunks }: Text, { options, bounds, fileName }: TextOptions) {
  const encoding = detectEncoding(sample, options.encoding);
  const text = await peek(toUtf8(chunks, encoding), sampleBytes);
  const sampled = text.sample.toString();
  const format = detectTextFormat(sampled, { requested: options.format, fileName });
  const isDelimited = format === 'csv' || format === 'tsv';
  const separator = isDelimited ? separatorLine.exec(sampled) : null;
  const beginning = sampled.slice(separator?.[0].length ?? 0);
  const detected = () => separator?.[1] ?? (format === 'tsv' ? '\t' : detectDelimiter(beginning));
  const delimiter = isDelimited ? (options.delimiter ?? detected()) : null;
  if (delimiter !== null) checkHeader(countColumns(beginning, delimiter), bounds.maxColumns);
  const rows =
    delimiter !== null
      ? readDelimited(text.chunks, { delimiter, bounds, skipsFirst: separator !== null })
      : format === 'jsonl'
        ? readJsonLines(text.chunks, bounds)
        : readJsonArray(text.chunks, bounds);
  return { format, encoding: encoding.name, delimiter, rows };
}

/** A first line that states the delimiter to spreadsheets (`sep=;`), in quotes or not, and padded with delimiters. */
const separatorLine = /^\uFEFF?"?sep=([^\w\s"\\]|\t)"?\1*[^\S\r\n]*(?:\r\n|\r|\n)/i;
