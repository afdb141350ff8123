import { isUtf8 } from 'node:buffer';
import { isDeeperThan, parseExactJson } from '#kernel';
import { brokenRow, excerptChars, maxDepth, notUtf8, type RowLocation, rowOf, type SourceRow } from './source-row.ts';

export function readJsonRow(bytes: Buffer, location: RowLocation): SourceRow {
  if (!isUtf8(bytes)) return brokenRow(location, notUtf8, bytes.toString('utf8', 0, excerptChars * 4));
  const text = bytes.toString();
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    if (error instanceof SyntaxError && error.message.includes('nested deeper')) return tooDeep(location, text);
    const reason = error instanceof SyntaxError ? positionless(error.message) : 'it cannot be parsed';
    const problem = { code: 'bad_json', message: `This is not JSON: ${reason}.` } as const;
    return brokenRow(location, text.trimEnd().endsWith(',') ? { ...problem, hint: commaHint } : problem, text);
  }
  return isDeeperThan(value, maxDepth) ? tooDeep(location, text) : rowOf(location, value, text);
}

function tooDeep(location: RowLocation, text: string): SourceRow {
  return brokenRow(location, { code: 'too_large', message: `The row is nested deeper than ${maxDepth} levels.` }, text);
}

const commaHint = 'Leave out the comma behind the object: every line stands for itself.';

/** V8 quotes the text in its message; the row stands beside it anyway. */
function positionless(message: string): string {
  return message
    .replace(/, ?(\.\.\.)?".*$/s, '')
    .replace(/ in JSON at position.*$/s, '')
    .replace(/ \(line.*$/s, '');
}
