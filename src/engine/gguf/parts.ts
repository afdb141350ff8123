import { basename, dirname, join } from 'node:path';

const partName = /^(?<stem>.+)-(?<number>\d{5})-of-(?<count>\d{5})\.gguf$/;

/** What the name of a file says about its place in a split model. null: it is not a part of one. */
export type GgufPart = { number: number; count: number; nameOf: (number: number) => string };

export function readPartName(path: string): GgufPart | null {
  const { stem = '', number = '', count = '' } = partName.exec(basename(path))?.groups ?? {};
  if (count === '') return null;
  const nameOf = (part: number) => `${stem}-${String(part).padStart(5, '0')}-of-${count}.gguf`;
  return { number: Number(number), count: Number(count), nameOf };
}

/**
 * The files of a model, by the path of the first one: all parts of a split model in order, else the file alone.
 * llama.cpp opens the first part and finds the others by their names.
 */
export function modelFiles(path: string): string[] {
  const part = readPartName(path);
  if (part?.number !== 1) return [path];
  return Array.from({ length: part.count }, (_, index) => join(dirname(path), part.nameOf(index + 1)));
}
