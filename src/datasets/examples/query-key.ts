import { hash } from 'node:crypto';
import { plainText } from '#kernel';

/** A number for a query of a dataset. Queries that differ only in case, width or spacing are one. */
export function queryKey(datasetId: string, query: string): bigint {
  return hash('sha256', `${datasetId} ${plainText(query)}`, 'buffer').readBigInt64LE();
}
