import { ImportFailure } from './import-failure.ts';

/** Only the format knows whether `actual` columns are all that there are, and what may have been taken for columns. */
type Counted = { orMore?: boolean; hint?: string };

/** Throws when a file has more columns than can be read. */
export function refuseColumns(actual: number, limit: number, { orMore = false, ...hint }: Counted = {}): void {
  if (actual <= limit) return;
  const columns = orMore ? 'columns or more' : 'columns';
  throw new ImportFailure('too_many_columns', `The file has ${actual} ${columns}; at most ${limit} can be read.`, {
    details: { limit, actual },
    ...hint,
  });
}
