import { ImportFailure } from './import-failure.ts';
import type { FileFormat } from './source-row.ts';

/** Other formats that are uploaded by mistake, recognised by their first bytes. */
const foreignFormats: readonly (readonly [string, string])[] = [
  ['%PDF', 'a PDF document'],
  ['\u001f\u008b', 'packed with gzip twice'],
  ['\u0028\u00b5\u002f\u00fd', 'packed with zstd'],
  ['BZh', 'packed with bzip2'],
  ['\u00fd7zXZ', 'packed with xz'],
  ['7z\u00bc\u00af', 'a 7z archive'],
  ['ARROW1', 'an Arrow file'],
  ['GGUF', 'a model'],
  ['SQLite format 3', 'an SQLite database'],
];

const formatOfEnding: Record<string, FileFormat> = {
  jsonl: 'jsonl',
  ndjson: 'jsonl',
  json: 'json',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  parquet: 'parquet',
  pq: 'parquet',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
};

export function isGzip(sample: Buffer): boolean {
  return sample[0] === 0x1f && sample[1] === 0x8b;
}

/** Formats that are not text, by their first bytes. */
const binaryFormats = [
  ['PAR1', 'parquet'],
  ['PK\u0003\u0004', 'xlsx'],
] as const;

export type BinaryFormat = (typeof binaryFormats)[number][1];

/** The format of what is not text; null: it is text. Refuses what can be no table at all. */
export function detectBinaryFormat(sample: Buffer): BinaryFormat | null {
  const beginning = sample.toString('latin1', 0, 16);
  if (beginning.startsWith(oldOfficeMark)) throw oldOffice(sample);
  const foreign = foreignFormats.find(([mark]) => beginning.startsWith(mark));
  if (foreign)
    throw new ImportFailure('wrong_format', `The file is ${foreign[1]}.`, {
      hint: 'Upload CSV, TSV, JSON, JSONL or Parquet, plain or with gzip, or an Excel workbook (.xlsx).',
    });
  return binaryFormats.find(([mark]) => beginning.startsWith(mark))?.[1] ?? null;
}

/** Of Office files before 2007, and of those with a password. */
const oldOfficeMark = '\u00d0\u00cf\u0011\u00e0';

function oldOffice(sample: Buffer): ImportFailure {
  const hint = 'Open it in Excel, remove the password if it has one, and save it as an Excel workbook (.xlsx).';
  // A file lists what it holds somewhere, in most at its beginning.
  const holds = (name: string) => sample.includes(Buffer.from(name, 'utf16le'));
  if (holds('EncryptedPackage')) return new ImportFailure('wrong_format', 'The workbook has a password.', { hint });
  const what = holds('Workbook') ? 'an old Excel file (.xls)' : 'an old Office file, or one with a password';
  return new ImportFailure('wrong_format', `The file is ${what}.`, { hint });
}

export function detectTextFormat(
  beginning: string,
  { requested, fileName }: { requested: FileFormat | null; fileName: string },
): FileFormat {
  if (requested === 'parquet' || requested === 'xlsx') throw wrong(requested, 'a text');
  if (beginning.includes('\0'))
    throw new ImportFailure('wrong_format', 'The file is no text: it holds NUL characters.');
  const text = beginning.trimStart();
  return requested === null ? formatOf(text, formatNamed(fileName)) : checkRequested(requested, text);
}

/** Delimited text may begin with anything, JSON may not. */
function checkRequested(requested: FileFormat, text: string): FileFormat {
  if (requested === 'jsonl') refusePrinted(text);
  const isJsonRequested = requested === 'json' || requested === 'jsonl';
  if (isJsonRequested && jsonAt(text) === null && text !== '') throw wrong(requested, 'no JSON');
  return requested;
}

/** What nobody named: where the name of the file does not say CSV or TSV, its beginning decides. */
function formatOf(text: string, named: FileFormat | null): FileFormat {
  if (named === 'csv' || named === 'tsv') return named;
  const json = jsonAt(text);
  if (json === 'jsonl') refusePrinted(text);
  if (json !== null) return json === 'json' && isListOfLines(text) ? 'jsonl' : json;
  if (named === 'json' || named === 'jsonl') {
    // An empty file: the reader reports it.
    if (text === '') return named;
    throw new ImportFailure('wrong_format', `The name of the file ends like ${named}, but it is no JSON.`, {
      hint: 'Announce it under another name, or with its format.',
      details: { format: named },
    });
  }
  const [line = ''] = text.split('\n', 1);
  return line.split('\t').length > line.split(',').length ? 'tsv' : 'csv';
}

function formatNamed(fileName: string): FileFormat | null {
  const ending = /\.([a-z]+)(?:\.gz)?$/i.exec(fileName)?.[1] ?? '';
  return formatOfEnding[ending.toLowerCase()] ?? null;
}

/** Which kind of JSON a text looks like; null: none. */
function jsonAt(text: string): 'json' | 'jsonl' | null {
  if (text.startsWith('[')) return 'json';
  return text.startsWith('{') ? 'jsonl' : null;
}

/** `["a",1]` on every line: rows that are lists, which the reader of lines reports one by one. */
function isListOfLines(text: string): boolean {
  const lines = text.split('\n', 2);
  return lines.length === 2 && lines.every((line) => /^\[.*\]\s*$/.test(line));
}

/** An object over several lines, as it is printed to be read: of its lines none would be a row. */
function refusePrinted(text: string): void {
  const [first = '', second] = text.split('\n', 2);
  if (second === undefined || !/[{[]$/.test(first.trimEnd()) || isJson(second)) return;
  throw new ImportFailure('wrong_format', 'The first object of the file goes over several lines.', {
    hint: 'Write each object on a line of its own, as "jq -c ." does, or all of them as one list.',
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function wrong(format: FileFormat, what: string): ImportFailure {
  return new ImportFailure('wrong_format', `The format is said to be ${format}, but the file is ${what}.`, {
    hint: 'Leave out format to have it detected.',
    details: { format },
  });
}

const delimiters = [',', ';', '\t', '|'] as const;

/** The character that divides the first rows into the same number of values, the more the better. */
export function detectDelimiter(beginning: string): string {
  const lines = beginning
    .split(/\r\n|\n|\r/)
    .filter((line) => line !== '')
    .slice(0, 20);
  const scored = delimiters.map((delimiter) => {
    const [first = 0, ...others] = lines.map((line) => outsideQuotes(line).split(delimiter).length);
    const alike = others.filter((count) => count === first).length;
    return { delimiter, score: first === 1 ? 0 : first + alike * 100 };
  });
  scored.sort((a, b) => b.score - a.score);
  return scored[0]?.score ? scored[0].delimiter : ',';
}

function outsideQuotes(line: string): string {
  return line.replace(/"(?:[^"]|"")*(?:"|$)/g, '');
}

export function countColumns(beginning: string, delimiter: string): number {
  const [first = ''] = beginning.trimStart().split(/\r|\n/, 1);
  return outsideQuotes(first).split(delimiter).length;
}
