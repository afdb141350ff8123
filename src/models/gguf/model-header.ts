import { basename } from 'node:path';
import { GgufError, type GgufHeader, modelFiles, readGgufHeader, readPartName } from '#engine';
import { systemCodeOf } from '#kernel';
import { ModelError, reasonOf } from '../model-error.ts';

/** The header of the first file of a model, with the sums over all of its files. */
export type ModelHeader = Pick<GgufHeader, 'values' | 'arrayLengths' | 'parameters' | 'tensorNames' | 'fileBytes'> & {
  /** All parts of a split model in order, else the one file. */
  files: readonly string[];
};

/** Reads and checks the headers of all files of a model. Throws `ModelError`. */
export function readModelHeader(path: string): ModelHeader {
  const first = readHeader(path);
  const files = checkedFiles(path, first);
  const others = files.slice(1).map((file, index) => readPart(file, { number: index + 2, count: files.length }));
  return headerOfParts([first, ...others], files);
}

/** The header of a model from those of all of its files in order. */
export function headerOfParts(headers: readonly GgufHeader[], files: readonly string[]): ModelHeader {
  const [first] = headers;
  if (!first) throw new Error('A model has no header. This is a bug.');
  const sum = (value: (header: GgufHeader) => number) => headers.reduce((total, each) => total + value(each), 0);
  return {
    values: first.values,
    arrayLengths: first.arrayLengths,
    parameters: sum(({ parameters }) => parameters),
    tensorNames: new Set(headers.flatMap(({ tensorNames }) => [...tensorNames])),
    fileBytes: sum(({ fileBytes }) => fileBytes),
    files,
  };
}

/** llama.cpp finds the parts of a model by the name of the first one, so name and content must agree. */
function checkedFiles(path: string, header: GgufHeader): string[] {
  const file = basename(path);
  const name = readPartName(path);
  const count = numberOf(header, 'split.count') ?? 1;
  if (count === 1 && (name === null || name.count === 1)) return [path];
  if (name?.count !== count) {
    const named = name === null ? 'like one that is whole' : `like one of ${name.count} parts`;
    throw new ModelError(
      `${file} ${count === 1 ? 'is whole' : `is one of ${count} parts`} and is named ${named}; give it back the name of its publisher.`,
    );
  }
  if (name.number !== 1) {
    throw new ModelError(`${file} is part ${name.number} of a split model; give the first part, ${name.nameOf(1)}.`);
  }
  return modelFiles(path);
}

function readPart(path: string, { number, count }: { number: number; count: number }): GgufHeader {
  const file = basename(path);
  let header: GgufHeader;
  try {
    header = readHeader(path);
  } catch (error) {
    const isMissing = error instanceof ModelError && systemCodeOf(error.cause) === 'ENOENT';
    if (!isMissing) throw error;
    throw new ModelError(`Part ${number} of ${count} is missing: ${file} must stand beside the first one.`, {
      cause: error,
    });
  }
  if (numberOf(header, 'split.count') !== count || numberOf(header, 'split.no') !== number - 1) {
    throw new ModelError(`${file} is not part ${number} of ${count} of a split model.`);
  }
  return header;
}

function readHeader(path: string): GgufHeader {
  try {
    return readGgufHeader(path);
  } catch (error) {
    if (error instanceof GgufError) throw new ModelError(error.message, { cause: error });
    if (systemCodeOf(error) === null) throw error;
    throw new ModelError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

export function textOf({ values }: Pick<ModelHeader, 'values'>, key: string): string | null {
  const value = values.get(key);
  return typeof value === 'string' ? value : null;
}

export function numberOf({ values }: Pick<ModelHeader, 'values'>, key: string): number | null {
  const value = values.get(key);
  if (typeof value === 'bigint') return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
  return typeof value === 'number' ? value : null;
}

export function positiveOf(header: Pick<ModelHeader, 'values'>, key: string): number | null {
  const value = numberOf(header, key);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}
