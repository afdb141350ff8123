import { parseExactJson } from '../../api/exact-json.ts';

/** Tool arguments with line breaks once they are complete. */
export function readable(args: string): string {
  try {
    return JSON.stringify(parseExactJson(args), null, 2);
  } catch {
    return args;
  }
}
