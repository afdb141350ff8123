import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { fc } from '#test/properties.ts';
import { described, isFailure, open, rowsOf } from '../open-rows.fixture.ts';
import { type CellInput, workbookOf } from './workbook.fixture.ts';

const raw = (attributes: string, content: string): CellInput => ({ attributes, content });
const formula = (value: string, type = '') => raw(type, `<f>A1&amp;B1</f>${value}`);
const faq = [
  ['question', 'answer'],
  ['Why?', 'Because.'],
];

test('any table of cells comes back as records of the same texts, however the writer stores them', async () => {
  const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const value = fc.oneof(text, fc.maxSafeInteger(), fc.boolean(), fc.constant(null));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 8 }),
      fc.record({ hasSharedTexts: fc.boolean(), hasNoAddresses: fc.boolean() }),
      async (table, input) => {
        const bytes = await workbookOf([{ name: 'Data', rows: [['a', 'b', 'c'], ...table] }], input);
        const { rows } = await rowsOf('a.xlsx', bytes);
        const shown = (cell: CellInput) => (typeof cell === 'boolean' ? String(cell).toUpperCase() : String(cell));
        const expected = table.flatMap((cells, at) => {
          const [a, b, c] = cells.map((cell) => (cell === null ? null : shown(cell)));
          return cells.every((cell) => cell === null) ? [] : [{ line: at + 2, fields: { a, b, c } }];
        });
        assert.deepEqual(
          rows.map(({ line, fields }) => ({ line, fields: { ...fields } })),
          expected,
        );
      },
    ),
    { numRuns: 80 },
  );
});

test('formulas give the values that were stored, dates are in ISO form, rich text is plain', async () => {
  const bytes = await workbookOf(
    [
      {
        name: 'Data',
        rows: [
          ['what', 'value'],
          ['sum', formula('<v>42</v>')],
          ['text', formula('<v>joined</v>', 't="str"')],
          ['nothing', formula('<v></v>', 't="str"')],
          ['error', raw('t="e"', '<f>1/0</f><v>#DIV/0!</v>')],
          ['date', raw('s="1"', '<v>46027</v>')],
          ['both', raw('s="2"', '<v>46027.5</v>')],
          ['ISO', raw('t="d"', '<v>2026-01-05T12:00:00</v>')],
          [
            'rich',
            raw('t="inlineStr"', '<is><r><t>plain </t></r><r><rPr><b/></rPr><t>bold</t></r><rPh><t>no</t></rPh></is>'),
          ],
          ['lines', 'a\nb\r\nc'],
          ['escaped', 'a _x000D_ b'],
          ['percent', raw('s="3"', '<v>0.25</v>')],
        ],
      },
    ],
    { formats: ['dd.mm.yyyy', 'yyyy-mm-dd hh:mm', '0%'] },
  );
  const { rows } = await rowsOf('a.xlsx', bytes);
  assert.deepEqual(
    rows.map(({ fields }) => [fields?.what, fields?.value]),
    [
      ['sum', '42'],
      ['text', 'joined'],
      ['nothing', null],
      ['error', null],
      ['date', '2026-01-05'],
      ['both', '2026-01-05T12:00:00'],
      ['ISO', '2026-01-05T12:00:00'],
      ['rich', 'plain bold'],
      ['lines', 'a\nb\r\nc'],
      ['escaped', 'a _x000D_ b'],
      ['percent', '0.25'],
    ],
  );
});

test('the first row with a value names the columns, empty rows are left out, and each row has its number', async () => {
  const rows = [
    null,
    [null, 'question', ' answer ', 'answer', null, '__proto__'],
    [null, 'one', 'A', null, null, 'p'],
    [raw('s="1"', '')],
    [null, null, null, null, 'beside'],
    [null, 'merged', 'B'],
    [null, null, 'C'],
  ];
  const { rows: read } = await rowsOf('a.xlsx', await workbookOf([{ name: 'Data', rows }]));
  const empty = '"column_1":null,"question":null';
  assert.deepEqual(described(read), [
    '3 {"column_1":null,"question":"one","answer":"A","answer_2":null,"column_5":null,"__proto__":"p"}',
    `5 {${empty},"answer":null,"answer_2":null,"column_5":"beside","__proto__":null}`,
    '6 {"column_1":null,"question":"merged","answer":"B","answer_2":null,"column_5":null,"__proto__":null}',
    `7 {${empty},"answer":"C","answer_2":null,"column_5":null,"__proto__":null}`,
  ]);
});

describe('sheets', () => {
  const named = (name: string, state?: string) => ({ name, rows: faq, ...(state === undefined ? {} : { state }) });
  test('the first sheet that is shown and has rows is read, or the one that is asked for', async () => {
    const bytes = await workbookOf([
      named('Secret', 'hidden'),
      { name: 'Cover', rows: [['Only a title']] },
      named('Fragen & Antworten'),
      { name: 'Other', rows: [['q'], ['other']] },
    ]);
    const { file, rows } = await rowsOf('a.xlsx', bytes);
    assert.equal(file.sheet, 'Fragen & Antworten');
    assert.deepEqual(file.sheets, ['Secret', 'Cover', 'Fragen & Antworten', 'Other']);
    assert.deepEqual(described(rows), ['2 {"question":"Why?","answer":"Because."}']);
    const other = await rowsOf('a.xlsx', bytes, { options: { sheet: 'Other' } });
    assert.equal(other.file.sheet, 'Other');
    assert.deepEqual(described(other.rows), ['2 {"q":"other"}']);
    assert.equal((await rowsOf('a.xlsx', bytes, { options: { sheet: 'Secret' } })).rows.length, 1);
  });

  test('a sheet that is not there is refused with the names of those that are', async () => {
    const bytes = await workbookOf([named('One'), named('Two')]);
    await assert.rejects(open('a.xlsx', bytes, { options: { sheet: 'Three' } }), {
      code: 'unknown_sheet',
      details: { sheets: ['One', 'Two'] },
      hint: 'It has "One", "Two".',
    });
  });

  test('a workbook without rows is empty', async () => {
    for (const rows of [[], [['question', 'answer']]]) {
      const read = rowsOf(
        'a.xlsx',
        await workbookOf([
          { name: 'Data', rows },
          { name: 'Other', rows: [] },
        ]),
      );
      if (rows.length === 0) await assert.rejects(read, isFailure('empty_file'));
      else assert.deepEqual((await read).rows, []);
    }
  });
});

test('a row that cannot be read is an issue with its number and what helps, and the others are read', async () => {
  const wide = Array.from({ length: 51 }, (_, column) => (column === 50 ? 'far away' : null));
  const rows = [
    ['question', 'answer'],
    ['one', 'A'],
    ['two', formula('')],
    ['three', 'x'.repeat(10_001)],
    wide,
    ['x'.repeat(6_000), 'y'.repeat(6_000)],
    ['four', formula('<v/>')],
    ['five', 'B'],
  ];
  for (const hasSharedTexts of [false, true]) {
    const { rows: read } = await rowsOf('a.xlsx', await workbookOf([{ name: 'Data', rows }], { hasSharedTexts }));
    assert.deepEqual(
      read.map(({ line, problem }) => (problem ? [line, problem.code, problem.message] : [line])),
      [
        [2],
        [3, 'wrong_type', 'The formula in B3 has no stored value.'],
        [4, 'too_large', 'The row is longer than 10000 bytes.'],
        [5, 'wrong_type', 'The row has a value in column 51; at most 50 columns can be read.'],
        [6, 'too_large', 'The row is longer than 10000 bytes.'],
        [7, 'wrong_type', 'The formula in B7 has no stored value.'],
        [8],
      ],
    );
    assert.match(read[1]?.problem?.hint ?? '', /save it/);
  }
});

test('of a workbook of a hundred thousand rows only a small part is in memory at a time', async () => {
  const rows = Array.from({ length: 100_000 }, (_, row) => [
    `Question ${row} ${'q'.repeat(100)}`,
    `Answer ${row} ${'a'.repeat(200)}`,
  ]);
  for (const hasSharedTexts of [true, false]) {
    const bytes = await workbookOf([{ name: 'Data', rows: [['question', 'answer'], ...rows] }], { hasSharedTexts });
    const before = usedBytes();
    const file = await open('a.xlsx', bytes, { pieces: 1 << 20 });
    let read = 0;
    let most = 0;
    for await (const batch of file.rows) {
      read += batch.length;
      assert.equal(batch[0]?.fields?.['question'], rows[read - batch.length]?.[0]);
      if (read % 20_000 < batch.length) most = Math.max(most, usedBytes() - before);
    }
    assert.equal(read, rows.length);
    // Their texts alone are 32 MB.
    assert.ok(most < 12_000_000, `${most} bytes`);
  }
});

function usedBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
