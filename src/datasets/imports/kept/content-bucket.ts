import { contentHeadBytes, hashBytes, type KeptRow, readMark, rowRecordBytes } from './kept-format.ts';

/** Bits of a number that are exact. */
const exactBits = 53;
/** Of a hash, behind the byte that all hashes of a bucket begin with. */
const keyBytes = 5;

/** A stretch of memory. */
export type Part = { start: number; end: number };

/**
 * The contents of a bucket, in the order of their hashes. They lie in memory that is used again for the next one, so what
 * is told of them holds until then.
 */
export class ContentBucket {
  readonly bytes: Buffer;
  /** Where each begins. */
  readonly places: Uint32Array;

  /** `parts`: where they lie in the memory, one behind the other in each. */
  constructor(bytes: Buffer, parts: readonly Part[]) {
    this.bytes = bytes;
    this.places = sortedPlaces(bytes, parts);
  }

  hashOf(place: number): Buffer {
    return hashAt(this.bytes, place);
  }

  /** Where the canonical JSON is of the content that begins at this place. */
  jsonOf(place: number): Part {
    const start = place + contentHeadBytes;
    return { start, end: start + this.bytes.readUInt32LE(place + hashBytes) };
  }

  /** How many contents the file has before it. */
  contentsBefore(place: number): number {
    return this.bytes.readUInt32LE(place + rowRecordBytes);
  }
}

/** The hash of the row whose record begins at a place. */
export function hashAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at, at + hashBytes);
}

/** What else the record of a row, or of a content, says. */
export function rowAt(bytes: Buffer, at: number): KeptRow {
  // Field by field: it is asked twice for each row, and a spread takes longer.
  const { split, isFirst } = readMark(bytes[at + hashBytes + 8] ?? 0);
  return { bytes: bytes.readUInt32LE(at + hashBytes), row: bytes.readUInt32LE(at + hashBytes + 4), split, isFirst };
}

/**
 * Sorted as numbers of a part of the hash and a place among the contents, which takes a tenth of the time that comparing
 * bytes does; hashes that agree in that part are compared.
 */
function sortedPlaces(bytes: Buffer, parts: readonly Part[]): Uint32Array {
  const places = placesOf(bytes, parts);
  const step = 2 ** Math.max(1, Math.ceil(Math.log2(places.length)));
  const shift = Math.max(1, step / 2 ** (exactBits - keyBytes * 8));
  const keys = new Float64Array(places.length);
  for (const [index, place] of places.entries()) keys[index] = keyOf(bytes, place, shift) * step + index;
  keys.sort();
  const sorted = new Uint32Array(places.length);
  for (let index = 0; index < keys.length; index++) sorted[index] = places[(keys[index] ?? 0) % step] ?? 0;
  for (let index = 1; index < sorted.length; index++) {
    if (Math.floor((keys[index] ?? 0) / step) !== Math.floor((keys[index - 1] ?? 0) / step)) continue;
    for (let at = index; at > 0 && isBehind(bytes, sorted[at - 1] ?? 0, sorted[at] ?? 0); at--)
      [sorted[at - 1], sorted[at]] = [sorted[at] ?? 0, sorted[at - 1] ?? 0];
  }
  return sorted;
}

function placesOf(bytes: Buffer, parts: readonly Part[]): number[] {
  const places: number[] = [];
  for (const { start, end } of parts)
    for (let at = start; at < end; at += contentHeadBytes + bytes.readUInt32LE(at + hashBytes)) places.push(at);
  return places;
}

const keyOf = (bytes: Buffer, place: number, shift: number) =>
  Math.floor(bytes.readUIntBE(place + 1, keyBytes) / shift);

function isBehind(bytes: Buffer, place: number, other: number): boolean {
  return bytes.compare(bytes, other, other + hashBytes, place, place + hashBytes) > 0;
}
