import { ImportFailure } from './import-failure.ts';

/** No real text compresses better than this; a file that does is made to fill a disk, or to keep a worker busy for hours. */
const maxRatio = 250;

export function checkGrowth(
  unpackedBytes: number,
  { packedBytes, freeBytes, hint }: { packedBytes: number; freeBytes: number; hint: string },
): void {
  if (unpackedBytes <= Math.max(freeBytes, packedBytes * maxRatio)) return;
  throw new ImportFailure('bad_compression', `The file unpacks to more than ${maxRatio} times its size.`, { hint });
}

export function checkTextBytes(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return;
  throw new ImportFailure('too_large', `The file unpacks to more than ${maxBytes} bytes.`, {
    details: { limit: maxBytes },
  });
}

/** Only the format knows whether `actual` columns are all that there are, and what may have been taken for columns. */
export function checkColumns(
  actual: number,
  limit: number,
  { orMore = false, ...hint }: { orMore?: boolean; hint?: string } = {},
): void {
  if (actual <= limit) return;
  const columns = orMore ? 'columns or more' : 'columns';
  throw new ImportFailure('too_many_columns', `The file has ${actual} ${columns}; at most ${limit} can be read.`, {
    details: { limit, actual },
    ...hint,
  });
}
