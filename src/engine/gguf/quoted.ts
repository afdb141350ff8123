import { quotedText } from '#kernel';

/** A name from a file, safe to print: quoted, cut where it is long, and without control characters and line ends. */
export function quoted(name: string): string {
  return quotedText(name).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, '?');
}
