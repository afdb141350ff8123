/** What a number stands for under its format. */
export type NumberKind = 'number' | 'date' | 'time' | 'datetime' | 'elapsed';

const dayMs = 86_400_000;
/** 9999-12-31. */
const lastDay = 2_958_465;
/** The day 60 of the calendar that counts from 1900 is a 29 February that never was. */
const leapDay = 60;

const builtInKinds: readonly (readonly [from: number, to: number, kind: NumberKind])[] = [
  [14, 17, 'date'],
  [18, 21, 'time'],
  [22, 22, 'datetime'],
  [27, 31, 'date'],
  [32, 35, 'time'],
  [36, 36, 'date'],
  [45, 45, 'time'],
  [46, 46, 'elapsed'],
  [47, 47, 'time'],
  [50, 54, 'date'],
  [55, 56, 'time'],
  [57, 58, 'date'],
];

export function builtInKind(formatId: number): NumberKind {
  return builtInKinds.find(([from, to]) => formatId >= from && formatId <= to)?.[2] ?? 'number';
}

/** Of a format such as `dd.mm.yyyy hh:mm` or `[h]:mm`. */
export function kindOfFormat(code: string): NumberKind {
  const [first = ''] = code.replace(/"[^"]*"|\\.|_.|\*./g, '').split(';', 1);
  if (/\[(h+|m+|s+)\]/i.test(first)) return 'elapsed';
  const letters = first.replace(/\[[^\]]*\]|general|am\/pm|a\/p/gi, '').toLowerCase();
  const hasTime = /[hs]/.test(letters);
  const hasDate = /[yd]/.test(letters) || (!hasTime && letters.includes('m'));
  if (hasDate) return hasTime ? 'datetime' : 'date';
  return hasTime ? 'time' : 'number';
}

export type Calendar = { startsIn1904: boolean };

/** The text of a number as the cell shows it: integers without a point, dates and times in ISO form. */
export function textOfNumber(stored: string, kind: NumberKind, { startsIn1904 }: Calendar): string {
  if (/^-?\d+$/.test(stored) && kind === 'number') return stored.replace(/^(-?)0+(?=\d)/, '$1');
  const value = Number(stored);
  // Not by Excel.
  if (!Number.isFinite(value) || stored.trim() === '') return stored;
  if (kind === 'number') return plainText(value);
  if (kind === 'elapsed') return elapsedText(value);
  const ms = Math.round(value * dayMs);
  const day = Math.floor(ms / dayMs);
  const time = timeText(ms - day * dayMs);
  if (kind === 'time') return value < 0 ? plainText(value) : time;
  const date = dateText(day, startsIn1904);
  if (date === null) return plainText(value);
  return kind === 'date' ? date : `${date}T${time}`;
}

/** A spreadsheet shows 15 digits: with all that are stored, 0.1 + 0.2 would be 0.30000000000000004. */
function plainText(value: number): string {
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(15)));
}

function dateText(day: number, startsIn1904: boolean): string | null {
  if (startsIn1904) return day < 0 || day > lastDay ? null : isoDate(Date.UTC(1904, 0, 1) + day * dayMs);
  if (day < 1 || day > lastDay) return null;
  if (day === leapDay) return '1900-02-29';
  return isoDate(Date.UTC(1899, 11, day < leapDay ? 31 : 30) + day * dayMs);
}

function isoDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23).replace('.000', '');
}

function elapsedText(days: number): string {
  const seconds = Math.round(Math.abs(days) * 86_400);
  const two = (value: number) => String(value % 60).padStart(2, '0');
  return `${days < 0 ? '-' : ''}${Math.floor(seconds / 3_600)}:${two(Math.floor(seconds / 60))}:${two(seconds)}`;
}

/** Line ends as XML has them, and the characters that Office writes as `_x000D_`. */
export function readableText(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Index of the column of a reference such as `AB12`, from 0; null for none. */
export function columnOf(reference: string | undefined): number | null {
  const letters = /^\$?([a-z]{1,3})(?![a-z])/i.exec(reference ?? '')?.[1];
  if (letters === undefined) return null;
  let column = 0;
  for (const letter of letters.toUpperCase()) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

export function lettersOf(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest > 0 ? lettersOf(rest - 1) : ''}${String.fromCharCode(65 + (column % 26))}`;
}
