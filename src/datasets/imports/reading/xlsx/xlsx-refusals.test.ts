import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isFailure, open, rowsOf } from '../open-rows.fixture.ts';
import { type CellInput, workbookOf, zipOf } from './workbook.fixture.ts';

const raw = (attributes: string, content: string): CellInput => ({ attributes, content });
const faq = [
  ['question', 'answer'],
  ['Why?', 'Because.'],
];

describe('files that cannot be read', () => {
  const oldOffice = (name: string) =>
    Buffer.concat([
      Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      Buffer.alloc(600),
      Buffer.from(name, 'utf16le'),
    ]);
  const cases: [string, () => Buffer | Promise<Buffer>, string, RegExp][] = [
    ['one with a password', () => oldOffice('EncryptedPackage'), 'wrong_format', /has a password/],
    ['an old Excel file', () => oldOffice('Workbook'), 'wrong_format', /old Excel file \(\.xls\)/],
    [
      'another old Office file',
      () => oldOffice('WordDocument'),
      'wrong_format',
      /old Office file, or one with a password/,
    ],
    ['another archive', () => zipOf({ 'data.csv': 'a,b' }), 'wrong_format', /no Excel workbook/],
    ['a sheet of LibreOffice', () => zipOf({ 'content.xml': '<office/>' }), 'wrong_format', /OpenDocument/],
    [
      'a binary workbook',
      () => zipOf({ '_rels/.rels': '<r><Relationship Type="a/officeDocument" Target="xl/workbook.bin"/></r>' }),
      'wrong_format',
      /\.xlsb/,
    ],
    [
      'half of a file',
      async () => (await workbookOf([{ name: 'Data', rows: faq }])).subarray(0, 900),
      'unreadable',
      /cannot be unpacked/,
    ],
    [
      'a sheet that is no XML',
      () => workbookOf([{ name: 'Data', rows: faq }], { parts: { 'xl/worksheets/sheet1.xml': '<a><b></a>' } }),
      'unreadable',
      /no XML/,
    ],
    [
      'a sheet that is not UTF-8',
      () =>
        workbookOf([{ name: 'Data', rows: faq }], {
          parts: { 'xl/worksheets/sheet1.xml': Buffer.from('<a>\xff</a>', 'latin1') },
        }),
      'unreadable',
      /not UTF-8/,
    ],
    [
      'a document type with entities',
      () =>
        workbookOf([{ name: 'Data', rows: faq }], {
          parts: { 'xl/workbook.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' },
        }),
      'unreadable',
      /document type/,
    ],
    [
      'a workbook without its sheet',
      () => workbookOf([{ name: 'Data', rows: faq }], { parts: { 'xl/worksheets/sheet1.xml': null } }),
      'empty_file',
      /no sheet with cells/,
    ],
    [
      'more columns than can be read',
      () => workbookOf([{ name: 'Data', rows: [Array.from({ length: 51 }, (_, n) => `c${n}`)] }]),
      'too_many_columns',
      /51 columns/,
    ],
  ];
  for (const [what, make, code, message] of cases)
    test(`${what} gets a clear error`, async () => {
      await assert.rejects(
        rowsOf('a.xlsx', await make()),
        (error) => isFailure(code)(error) && message.test(String(error)),
      );
    });

  test('bytes that were changed are noticed', async () => {
    const bytes = await zipOf({ 'xl/workbook.xml': '<w/>' });
    const stored = Buffer.from(bytes);
    // The checksum of the entry in the index of the archive.
    const at = stored.indexOf(Buffer.from('PK\x01\x02'));
    stored.writeUInt32LE(stored.readUInt32LE(at + 16) ^ 1, at + 16);
    await assert.rejects(rowsOf('a.xlsx', stored), isFailure('unreadable'));
  });

  test('a format that the file does not have is refused', async () => {
    const bytes = await workbookOf([{ name: 'Data', rows: faq }]);
    await assert.rejects(open('a', bytes, { options: { format: 'csv' } }), /ZIP archive/);
    await assert.rejects(
      open('a', Buffer.from('a,b\n1,2'), { options: { format: 'xlsx' } }),
      isFailure('wrong_format'),
    );
    assert.equal((await rowsOf('a', bytes, { options: { format: 'xlsx' } })).rows.length, 1);
  });
});

describe('files that are made to hurt', () => {
  test('a sheet that unpacks to far more than its size ends the import', async () => {
    const sheet = `<worksheet><sheetData>${' '.repeat(78_000_000)}</sheetData></worksheet>`;
    const bomb = await workbookOf([{ name: 'Data', rows: [] }], { parts: { 'xl/worksheets/sheet1.xml': sheet } });
    assert.ok(bomb.length < 250_000);
    await assert.rejects(rowsOf('a.xlsx', bomb, { limits: { maxTextBytes: 1e9 } }), isFailure('bad_compression'));
    await assert.rejects(rowsOf('a.xlsx', bomb, { limits: { maxTextBytes: 1e6 } }), isFailure('too_large'));
  });

  test('one long text in every cell is counted as often as it stands there', async () => {
    const cell = raw('t="s"', '<v>0</v>');
    const text = `<sst><si><t>${'x'.repeat(9_000)}</t></si></sst>`;
    const rows = [['text'], ...Array.from({ length: 8_000 }, () => [cell])];
    const bomb = await workbookOf([{ name: 'Data', rows }], { parts: { 'xl/sharedStrings.xml': text } });
    await assert.rejects(rowsOf('a.xlsx', bomb), isFailure('too_large'));
  });

  test('an archive of very many parts is not listed', async () => {
    const bytes = await workbookOf([{ name: 'Data', rows: faq }]);
    // The number of entries in the end of the archive.
    bytes.writeUInt16LE(20_001, bytes.lastIndexOf(Buffer.from('PK\x05\x06')) + 10);
    await assert.rejects(rowsOf('a.xlsx', bytes), isFailure('too_large'));
  });

  test('elements without end are refused', async () => {
    const sheet = '<a>'.repeat(100_000);
    const parts = { 'xl/worksheets/sheet1.xml': sheet };
    await assert.rejects(
      rowsOf('a.xlsx', await workbookOf([{ name: 'Data', rows: [] }], { parts })),
      isFailure('unreadable'),
    );
  });
});
