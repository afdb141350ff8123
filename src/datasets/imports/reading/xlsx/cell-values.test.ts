import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtInKind, columnOf, kindOfFormat, lettersOf, type NumberKind, textOfNumber } from './cell-values.ts';

const from1900 = { startsIn1904: false };

test('a number format says whether a number is a date, a time, both, a duration or just a number', () => {
  const cases: [string, NumberKind][] = [
    ['General', 'number'],
    ['0.00', 'number'],
    ['0.00E+00', 'number'],
    ['#,##0 "days"', 'number'],
    ['[Red]#,##0;[Blue]-#,##0', 'number'],
    ['[$€-407] #,##0.00', 'number'],
    ['@', 'number'],
    ['dd.mm.yyyy', 'date'],
    ['[$-407]dd. mmmm yyyy;@', 'date'],
    ['mmm\\-yy', 'date'],
    ['mmmm', 'date'],
    ['yyyy"年"m"月"d"日"', 'date'],
    ['hh:mm', 'time'],
    ['h:mm:ss AM/PM', 'time'],
    ['mm:ss.0', 'time'],
    ['dd.mm.yyyy hh:mm', 'datetime'],
    ['[h]:mm', 'elapsed'],
    ['[ss]', 'elapsed'],
  ];
  for (const [code, kind] of cases) assert.equal(kindOfFormat(code), kind, code);
  assert.deepEqual([0, 9, 14, 20, 22, 46, 49].map(builtInKind), [
    ...['number', 'number', 'date', 'time', 'datetime', 'elapsed', 'number'],
  ]);
});

test('numbers are written as the cell shows them: integers stay integers, fractions have 15 digits', () => {
  const cases: [string, string][] = [
    ['42', '42'],
    ['42.0', '42'],
    ['-0', '-0'],
    ['007', '7'],
    ['12345678901234567890', '12345678901234567890'],
    ['1.2345678901234568E+17', '123456789012345680'],
    ['0.30000000000000004', '0.3'],
    ['1.1000000000000001', '1.1'],
    ['1.0000000000000001E-2', '0.01'],
    ['-3.5', '-3.5'],
    ['no number', 'no number'],
  ];
  for (const [stored, text] of cases) assert.equal(textOfNumber(stored, 'number', from1900), text);
});

test('dates and times are in ISO form, also those before the day that the calendar has too much', () => {
  const cases: [string, NumberKind, string][] = [
    ['1', 'date', '1900-01-01'],
    ['59', 'date', '1900-02-28'],
    ['60', 'date', '1900-02-29'],
    ['61', 'date', '1900-03-01'],
    ['46027', 'date', '2026-01-05'],
    ['46027.5630555556', 'date', '2026-01-05'],
    ['46027.5630555556', 'datetime', '2026-01-05T13:30:48'],
    ['46027.9999999999', 'datetime', '2026-01-06T00:00:00'],
    ['0.5', 'time', '12:00:00'],
    ['0.000001447', 'time', '00:00:00.125'],
    ['1.5', 'elapsed', '36:00:00'],
    ['-0.25', 'elapsed', '-6:00:00'],
    ['2958465', 'date', '9999-12-31'],
    // No days: the spreadsheet cannot show them either.
    ['0', 'date', '0'],
    ['-1', 'date', '-1'],
    ['2958466', 'datetime', '2958466'],
  ];
  for (const [stored, kind, text] of cases)
    assert.equal(textOfNumber(stored, kind, from1900), text, `${stored} ${kind}`);
  assert.equal(textOfNumber('0', 'date', { startsIn1904: true }), '1904-01-01');
  assert.equal(textOfNumber('44565', 'date', { startsIn1904: true }), '2026-01-05');
});

test('columns have the letters that a spreadsheet shows', () => {
  const letters: [number, string][] = [
    [0, 'A'],
    [25, 'Z'],
    [26, 'AA'],
    [701, 'ZZ'],
    [702, 'AAA'],
    [16_383, 'XFD'],
  ];
  for (const [column, text] of letters) {
    assert.equal(lettersOf(column), text);
    assert.equal(columnOf(`${text}12`), column);
  }
  assert.deepEqual([columnOf(undefined), columnOf('12'), columnOf('ABCD1')], [null, null, null]);
});
