import { isUtf8 } from 'node:buffer';
import { analyse } from 'chardet';
import iconv from 'iconv-lite';
import { ImportFailure } from './import-failure.ts';

export type Encoding = {
  /** As it is shown and may be requested. */
  name: string;
  /** Bytes of the mark at the beginning. */
  markBytes: number;
};

/** A detector's guess that is surer than this is taken. */
const sureEnough = 60;
/** Every sequence of bytes is text in it: what Western spreadsheets write. */
const fallback = 'windows-1252';

const marks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32le', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32be', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

export function detectEncoding(sample: Buffer, requested: string | null): Encoding {
  const mark = marks.find(([, bytes]) => bytes.every((byte, index) => sample[index] === byte));
  if (requested !== null) {
    const name = checkEncoding(requested);
    return { name, markBytes: mark?.[0] === name ? mark[1].length : 0 };
  }
  if (mark) return { name: mark[0], markBytes: mark[1].length };
  if (isUtf8(wholeCharacters(sample))) return { name: 'utf-8', markBytes: 0 };
  return { name: guess(sample), markBytes: 0 };
}

/** The name in small letters; throws for an encoding that nobody here knows. */
function checkEncoding(name: string): string {
  const lower = name.trim().toLowerCase();
  if (!isKnownEncoding(lower))
    throw new ImportFailure('unknown_encoding', `The encoding ${JSON.stringify(name)} is not known.`);
  return lower === 'utf8' ? 'utf-8' : lower;
}

export function isKnownEncoding(name: string): boolean {
  return (
    /^[a-z0-9_:. -]{1,40}$/i.test(name) && iconv.encodingExists(name) && !/^(base64|hex|internal|utf-?7)/i.test(name)
  );
}

function guess(sample: Buffer): string {
  // What looks like UTF-8 is UTF-8 with faults: its rows are reported, instead of being read as something else.
  if (looksLikeUtf8(sample)) return 'utf-8';
  const [best] = analyse(sample).filter(({ name }) => isKnownEncoding(name));
  return best && best.confidence >= sureEnough ? best.name.toLowerCase() : fallback;
}

function looksLikeUtf8(sample: Buffer): boolean {
  const replaced = sample.toString().split('\ufffd').length - 1;
  let others = 0;
  for (const character of sample.toString()) if (character > '\u007f' && character !== '\ufffd') others++;
  return others > 0 && others >= replaced;
}

/** The sample without the character that it may be cut in. */
function wholeCharacters(sample: Buffer): Buffer {
  for (let cut = 0; cut < 4 && cut < sample.length; cut++) {
    const byte = sample[sample.length - 1 - cut] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > cut + 1 ? sample.subarray(0, sample.length - 1 - cut) : sample;
  }
  return sample;
}

/** The text as UTF-8, without its mark. UTF-8 passes as it is, faults and all. */
export async function* toUtf8(chunks: AsyncIterable<Buffer>, { name, markBytes }: Encoding): AsyncGenerator<Buffer> {
  let toSkip = markBytes;
  const decoder = name === 'utf-8' ? null : iconv.getDecoder(name, { stripBOM: false });
  for await (const chunk of chunks) {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    const rest = skipped === 0 ? chunk : chunk.subarray(skipped);
    const decoded = decoder ? Buffer.from(decoder.write(rest)) : rest;
    if (decoded.length > 0) yield decoded;
  }
  const last = decoder?.end();
  if (last) yield Buffer.from(last);
}
