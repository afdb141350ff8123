import { hash } from 'node:crypto';
import { foldText } from '#kernel';

/** What makes a query with a passage the same as another: their words, whatever case, width and spacing. */
export function pairOf(query: string, passage: string): string {
  return hash('sha256', JSON.stringify([plain(query), plain(passage)]), 'hex');
}

/** The folded words of a text; texts that differ in this differ in words. */
export const plain = (text: string): string => foldText(text).replace(/\s+/gu, ' ').trim();
