import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { described, isFailure, parquetOf, rowsOf, samples } from './open-rows.fixture.ts';

describe('files that are not what they seem', () => {
  const cases: [string, string, Buffer, string][] = [
    ['an archive that was cut off', 'a.csv', Buffer.from('PK\x03\x04rest of it'), 'unreadable'],
    ['a PDF', 'a.json', Buffer.from('%PDF-1.7 and so on'), 'wrong_format'],
    ['gzip in gzip', 'a.jsonl.gz', gzipSync(gzipSync('{"a":1}')), 'wrong_format'],
    ['bytes that are no text', 'a.csv', Buffer.alloc(1_000), 'wrong_format'],
    ['nothing', 'a.csv', Buffer.alloc(0), 'empty_file'],
    ['nothing, packed', 'a.csv.gz', gzipSync(''), 'empty_file'],
    ['text called JSON', 'a.json', Buffer.from('hello, world'), 'wrong_format'],
    ['a JSON file of blank lines', 'a.json', Buffer.from('\n\n'), 'empty_file'],
    ['an object around a list', 'a.json', Buffer.from('{"data":[\n  {"a":1},\n  {"a":2}\n]}'), 'wrong_format'],
    ['objects over several lines', 'a.jsonl', Buffer.from('{\n  "a": 1\n}\n{\n  "a": 2\n}\n'), 'wrong_format'],
    [
      'half of a packed file',
      'a.jsonl.gz',
      gzipSync(`{"a":"${Math.random()}"}\n`.repeat(9_000)).subarray(0, 300),
      'bad_compression',
    ],
    ['a Parquet file without its end', 'a.parquet', Buffer.from(`PAR1${'x'.repeat(500)}`), 'unreadable'],
    ['a JSON list without its end', 'a.json', Buffer.from('[{"a":1},{"a":2}'), 'unreadable'],
    ['a JSON list and more', 'a.json', Buffer.from('[{"a":1}] {"a":2}'), 'unreadable'],
    ['a JSON list without commas', 'a.json', Buffer.from('[{"a":1}\n{"a":2}]'), 'unreadable'],
    ['a quote that is never closed', 'a.csv', Buffer.from('a,b\n1,2\n"3,4\n5,6\n'), 'unreadable'],
    ['one row of all the file', 'a.csv', Buffer.from(`a,b\n1,"${'x,y\n'.repeat(9_000)}`), 'row_too_large'],
    [
      'a thousand columns',
      'a.csv',
      Buffer.from(`${Array.from({ length: 1_000 }, (_, n) => n).join(',')}\n1\n`),
      'too_many_columns',
    ],
  ];
  for (const [what, name, bytes, code] of cases)
    test(`${what} gets a clear error`, () => assert.rejects(rowsOf(name, bytes), isFailure(code)));

  test('a small Parquet file that holds one text in forty thousand rows is read no further than real text', async () => {
    const bomb = await parquetOf("select repeat('x', 9000) as q from range(40000)");
    assert.ok(bomb.length < 1_000_000);
    await assert.rejects(rowsOf('a.parquet', bomb), isFailure('too_large'));
    const limits = { maxTextBytes: 10_000_000_000 };
    await assert.rejects(rowsOf('a.parquet', bomb, { limits }), isFailure('bad_compression'));
  });

  test('a file with more columns than can be read is refused with their number, and asked about its delimiter if it has one', async () => {
    const names = Array.from({ length: 51 }, (_, n) => `c${n}`);
    const parquet = await parquetOf(`select ${names.map((name) => `1 as ${name}`).join(', ')}`);
    const details = { limit: 50, actual: 51 };
    await assert.rejects(rowsOf('a.parquet', parquet), {
      code: 'too_many_columns',
      message: 'The file has 51 columns; at most 50 can be read.',
      details,
      hint: null,
    });
    await assert.rejects(rowsOf('a.csv', Buffer.from(`${names.join(',')}\n1\n`)), {
      code: 'too_many_columns',
      message: 'The file has 51 columns or more; at most 50 can be read.',
      details,
      hint: 'Is the delimiter right, and does the first row name the columns?',
    });
  });

  test('a format that the file has not is refused', async () => {
    const parquet = (await samples['a.parquet']?.()) ?? Buffer.alloc(0);
    await assert.rejects(rowsOf('a', parquet, { options: { format: 'csv' } }), isFailure('wrong_format'));
    await assert.rejects(
      rowsOf('a', Buffer.from('a,b\n1,2\n'), { options: { format: 'jsonl' } }),
      isFailure('wrong_format'),
    );
    await assert.rejects(
      rowsOf('a', Buffer.from('a,b\n1,2\n'), { options: { format: 'parquet' } }),
      isFailure('wrong_format'),
    );
  });

  test('an error says whether the name or the caller gave the wrong format', async () => {
    const csv = Buffer.from('a,b\n1,2\n');
    await assert.rejects(rowsOf('a.jsonl', csv), /name of the file ends like jsonl/);
    await assert.rejects(rowsOf('a', csv, { options: { format: 'jsonl' } }), /said to be jsonl/);
  });

  test('a first row that is cut off does not spoil the others', async () => {
    const { rows } = await rowsOf('a.jsonl', Buffer.from('{"a": [\n{"a": [1]}\n{"a": [2]}\n'));
    assert.deepEqual(described(rows), ['1 bad_json', '2 {"a":[1]}', '3 {"a":[2]}']);
  });

  test('an error of the CSV reader names the line', async () => {
    await assert.rejects(rowsOf('a.csv', Buffer.from('a,b\n1,2\n"3,4\n5,6\n')), /after line 2/);
  });
});
