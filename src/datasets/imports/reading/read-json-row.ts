import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '#kernel';
import { brokenRow, excerptChars, maxDepth, notUtf8, type RowLocation, rowOf, type SourceRow } from './source-row.ts';

/** Of shorter rows it is looked first whether they may be deep. */
const alwaysParsedBytes = 16_384;

/** Reads the JSON of one row. */
export function readJsonRow(bytes: Buffer, location: RowLocation): SourceRow {
  return isUtf8(bytes) ? readJsonText(bytes.toString(), bytes.length, location) : refuseEncoding(bytes, location);
}

/** A row that is not UTF-8. */
function refuseEncoding(bytes: Buffer, location: RowLocation): SourceRow {
  return brokenRow(location, notUtf8, bytes.toString('utf8', 0, excerptChars * 4));
}

/** Reads the JSON of one row that takes so many bytes. */
function readJsonText(text: string, bytes: number, location: RowLocation): SourceRow {
  if ((bytes > alwaysParsedBytes || mayBeDeep(text)) && depthOf(text) > maxDepth) return tooDeep(location, text);
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    const reason = error instanceof SyntaxError ? positionless(error.message) : 'it cannot be parsed';
    const problem = { code: 'bad_json', message: `This is not JSON: ${reason}.` } as const;
    return brokenRow(location, text.trimEnd().endsWith(',') ? { ...problem, hint: commaHint } : problem, text);
  }
  return rowOf(location, value, text);
}

const commaHint = 'Leave out the comma behind the object: every line stands for itself.';

function tooDeep(location: RowLocation, text: string): SourceRow {
  const message = `The row is nested deeper than ${maxDepth} levels.`;
  return brokenRow(location, { code: 'too_large', message }, text);
}

/** Cheap first check: a deeply nested value ends with many closing brackets. */
function mayBeDeep(text: string): boolean {
  return closes(text, leastClosings) && /(?:[\]}]\s*){9}/.test(text);
}

const leastClosings = 9;

/** Cheaper still: most rows have fewer closing brackets in total. */
function closes(text: string, least: number): boolean {
  let found = 0;
  for (const bracket of ['}', ']'])
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++found >= least) return true;
  return false;
}

/** Levels of lists and objects, as if the text were JSON. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (inText) {
      if (unit === 0x5c) at++;
      else if (unit === 0x22) inText = false;
    } else if (unit === 0x22) inText = true;
    else if (unit === 0x7b || unit === 0x5b) deepest = Math.max(deepest, ++depth);
    else if (unit === 0x7d || unit === 0x5d) depth--;
  }
  return deepest;
}

/** V8 quotes the text in its message; the row stands beside it anyway. */
function positionless(message: string): string {
  return message
    .replace(/, ?(\.\.\.)?".*$/s, '')
    .replace(/ in JSON at position.*$/s, '')
    .replace(/ \(line.*$/s, '');
}
