import { hash } from 'node:crypto';
import { plainText } from '#kernel';

/** What makes a query with a passage the same as another: their words, whatever case, width and spacing. */
export function pairOf(query: string, passage: string): string {
  return hash('sha256', JSON.stringify([plainText(query), plainText(passage)]), 'hex');
}
