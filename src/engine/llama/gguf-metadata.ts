import { type FileHandle, open } from 'node:fs/promises';

/** Values of a GGUF header by key; an array counts with its length. */
export type GgufMetadata = ReadonlyMap<string, string | number | boolean>;

const firstBytes = 1 << 20;
/** Headers hold the vocabulary, some MB; a length field that claims more is broken. */
const mostBytes = 1 << 28;
const types = { bool: 7, string: 8, array: 9 };
/** Readers of the fixed-size types, by type number: size and value. */
const numbers: Record<number, [bytes: number, read: (from: Buffer, at: number) => number] | undefined> = {
  0: [1, (from, at) => from.readUInt8(at)],
  1: [1, (from, at) => from.readInt8(at)],
  2: [2, (from, at) => from.readUInt16LE(at)],
  3: [2, (from, at) => from.readInt16LE(at)],
  4: [4, (from, at) => from.readUInt32LE(at)],
  5: [4, (from, at) => from.readInt32LE(at)],
  6: [4, (from, at) => from.readFloatLE(at)],
  7: [1, (from, at) => from.readUInt8(at)],
  10: [8, (from, at) => Number(from.readBigUInt64LE(at))],
  11: [8, (from, at) => Number(from.readBigInt64LE(at))],
  12: [8, (from, at) => from.readDoubleLE(at)],
};

/** Reads the header of a GGUF file (version 2 or 3). Throws where it is none, or broken. */
export async function readMetadata(path: string): Promise<GgufMetadata> {
  const file = await open(path, 'r');
  try {
    for (let bytes = firstBytes; bytes <= mostBytes; bytes *= 4) {
      const head = await readHead(file, bytes);
      if (head.length < 24 || head.toString('latin1', 0, 4) !== 'GGUF') throw new Error(`${path} is not a GGUF file`);
      const metadata = parse(head);
      if (metadata !== null) return metadata;
      if (head.length < bytes) break;
    }
    throw new Error(`The header of ${path} is broken`);
  } finally {
    await file.close();
  }
}

async function readHead(file: FileHandle, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(bytes), 0, bytes, 0);
  return buffer.subarray(0, bytesRead);
}

/** null: the header goes on behind these bytes. */
function parse(head: Buffer): GgufMetadata | null {
  const metadata = new Map<string, string | number | boolean>();
  const pairs = Number(head.readBigUInt64LE(16));
  let at = 24;
  const readLength = (): number => {
    const length = Number(head.readBigUInt64LE(at));
    at += 8;
    if (at + length > mostBytes) throw new Error('A length in the GGUF header is out of bounds');
    return length;
  };
  const readText = (): string => {
    const length = readLength();
    if (at + length > head.length) throw new RangeError('Behind the end');
    at += length;
    return head.toString('utf8', at - length, at);
  };
  const skipText = () => {
    const length = readLength();
    at += length;
  };
  const readArray = (): number => {
    const itemType = head.readUInt32LE(at);
    at += 4;
    const items = readLength();
    const number = numbers[itemType];
    if (itemType === types.string) for (let item = 0; item < items; item++) skipText();
    else if (itemType === types.array) for (let item = 0; item < items; item++) readArray();
    else if (number !== undefined) at += items * number[0];
    else throw new Error(`The GGUF header has a value of unknown type ${itemType}`);
    return items;
  };
  const readValue = (type: number): string | number | boolean => {
    if (type === types.string) return readText();
    if (type === types.array) return readArray();
    const number = numbers[type];
    if (number === undefined) throw new Error(`The GGUF header has a value of unknown type ${type}`);
    const value = number[1](head, at);
    at += number[0];
    return type === types.bool ? value !== 0 : value;
  };
  try {
    for (let pair = 0; pair < pairs; pair++) {
      const key = readText();
      const type = head.readUInt32LE(at);
      at += 4;
      metadata.set(key, readValue(type));
    }
    return metadata;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
