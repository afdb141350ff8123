import { IsDateTime } from 'typebox/format';

/**
 * The time that a text of RFC 3339 tells; null where it tells none. A day that no calendar has is none, though `Date` goes on
 * to the day behind it; nor is a time that has not four digits of a year in UTC, as which it would be told.
 */
export function readRfc3339(text: string): Date | null {
  const time = new Date(IsDateTime(text) ? text : Number.NaN);
  return !Number.isNaN(time.getTime()) && /^\d{4}-/.test(time.toISOString()) ? time : null;
}
