import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import iconv from 'iconv-lite';
import { fc } from '#test/properties.ts';
import { described, isFailure, open, parquetOf, rowsOf, samples } from './open-rows.fixture.ts';

const lines: Record<string, number[]> = {
  'a.jsonl': [1, 3, 4],
  'a.json': [2, 4, 5],
  'a.csv': [2, 4, 5],
  'a.tsv': [2, 4, 5],
  'a.parquet': [1, 2, 3],
  'a.xlsx': [2, 4, 5],
};

for (const packed of [false, true])
  for (const [name, make] of Object.entries(samples))
    test(`${name}${packed ? '.gz' : ''} is recognised and read row by row, each with its line`, async () => {
      const plain = await make();
      const bytes = packed ? gzipSync(plain) : plain;
      for (const pieces of [1, 3, 100_000]) {
        const { file, rows } = await rowsOf(packed ? `${name}.gz` : name, bytes, { pieces });
        assert.equal(file.format, name.split('.')[1]);
        assert.equal(file.gzip, packed);
        assert.deepEqual(
          rows.map(({ fields }) => String(fields?.q)),
          ['one', 'zwei ü', 'three'],
        );
        assert.deepEqual(
          rows.map(({ fields }) => Number(fields?.n)),
          [1, 2, 3],
        );
        assert.deepEqual(
          rows.map(({ line }) => line),
          lines[name],
        );
        for (const { byteOffset } of packed || name === 'a.parquet' || name === 'a.xlsx' ? [] : rows)
          assert.ok(byteOffset !== null);
        assert.match(await file.finish(), /^[0-9a-f]{64}$/);
      }
      // Whatever the file is called.
      assert.equal((await rowsOf('data', bytes)).rows.length, 3);
    });

describe('locations', () => {
  test('the byte offset of a row is where its text begins', async () => {
    for (const name of ['a.jsonl', 'a.json']) {
      const bytes = (await samples[name]?.()) ?? Buffer.alloc(0);
      for (const { byteOffset, fields } of (await rowsOf(name, bytes, { pieces: 5 })).rows) {
        assert.ok(byteOffset !== null && bytes.toString('utf8', byteOffset, byteOffset + 6).startsWith('{"q":'));
        assert.ok(bytes.toString('utf8', byteOffset).startsWith(`{"q":"${fields?.q}"`));
      }
    }
  });

  test('values over several lines count', async () => {
    const { rows } = await rowsOf('a.csv', Buffer.from('q,n\n"a\nb",1\nc,2\n'));
    assert.deepEqual(described(rows), ['2 {"q":"a\\nb","n":"1"}', '4 {"q":"c","n":"2"}']);
  });
});

describe('rows that are wrong', () => {
  test('a wrong row of JSON lines is reported with its line, and the others are read', async () => {
    const text = ['{"a":"für"}', '{"a":', '[1]', '7', '{"a":"', `{"a":"${'x'.repeat(20_000)}"}`, '{"a":2}'].join('\n');
    const { rows } = await rowsOf(
      'a.jsonl',
      Buffer.concat([Buffer.from(text), Buffer.from('\n{"a":"\xff"}\n', 'latin1')]),
      { pieces: 11 },
    );
    assert.deepEqual(described(rows), [
      '1 {"a":"für"}',
      '2 bad_json',
      '3 wrong_type',
      '4 wrong_type',
      '5 bad_json',
      '6 too_large',
      '7 {"a":2}',
      '8 bad_encoding',
    ]);
    assert.ok(rows.every((row) => row.excerpt().length <= 200));
  });

  test('a file that is in another encoding further down can be read again in it, and says so', async () => {
    const rest = 'a,b\n'.repeat(20_000);
    for (const [name, text, last] of [
      ['a.csv', `q,n\n${rest}Stra\xdfe,1\n`, { q: 'Straße', n: '1' }],
      ['a.jsonl', `${'{"q":"a"}\n'.repeat(9_000)}{"q":"Stra\xdfe"}\n`, { q: 'Straße' }],
    ] as const) {
      const bytes = Buffer.from(text, 'latin1');
      const { rows } = await rowsOf(name, bytes);
      assert.equal(rows.at(-1)?.problem?.code, 'bad_encoding');
      const encoding = /windows-\d+/.exec(rows.at(-1)?.problem?.hint ?? '')?.[0] ?? null;
      const again = await rowsOf(name, bytes, { options: { encoding } });
      assert.deepEqual({ ...again.rows.at(-1)?.fields }, last);
    }
  });

  test('a comma behind an object is reported with what to do', async () => {
    const { rows } = await rowsOf('a.jsonl', Buffer.from('{"a":1},\n{"a":2}\n'));
    assert.match(rows[0]?.problem?.hint ?? '', /comma/);
    assert.deepEqual(described(rows), ['1 bad_json', '2 {"a":2}']);
  });

  test('integers and decimals of Parquet are numbers with all of their digits, also within lists', async () => {
    const file = await parquetOf(
      `select 7::bigint as n, [{arguments: {days: 3::bigint, of: [1::ubigint]}}] as calls, 9007199254740993::bigint as huge,
              18446744073709551615::ubigint as large, 1.50::decimal(9, 2) as price, -12345678901234567890::decimal(20, 0) as whole`,
    );
    const { rows } = await rowsOf('a.parquet', file);
    assert.deepEqual(described(rows), [
      '1 {"n":7,"calls":[{"arguments":{"days":3,"of":[1]}}],"huge":9007199254740993,"large":18446744073709551615,' +
        '"price":1.50,"whole":-12345678901234567890}',
    ]);
  });

  test('a struct of Parquet has the members of its row in their order, and none of other rows', async () => {
    const file = await parquetOf(
      `select * from (values
         ({'reason': 'x', '10': 1, '2': {'a': null::integer, 'b': 2}, 'c': null::varchar}, [{'d': null::integer, 'e': 5}, {'d': 4, 'e': null}]),
         ({'reason': null, '10': null, '2': null, 'c': 'y'}, null)) t (s, l)`,
    );
    const { rows } = await rowsOf('a.parquet', file);
    assert.deepEqual(described(rows), [
      '1 {"s":{"reason":"x","10":1,"2":{"b":2}},"l":[{"e":5},{"d":4}]}',
      '2 {"s":{"c":"y"},"l":null}',
    ]);
  });

  test('a map of Parquet is an object with all of its entries', async () => {
    const file = await parquetOf(`select map {'b': 1, '1': null::bigint} as m`);
    assert.deepEqual(described((await rowsOf('a.parquet', file)).rows), ['1 {"m":{"b":1,"1":null}}']);
  });

  test('a short row that nests too deeply is reported, whatever numbers it has', async () => {
    for (const text of ['1', '1.0']) {
      const deep = `{"a":${'['.repeat(2_000)}${text}${']'.repeat(2_000)}}`;
      assert.deepEqual(described((await rowsOf('a.jsonl', Buffer.from(`${deep}\n{"b":1}`))).rows), [
        '1 too_large',
        '2 {"b":1}',
      ]);
    }
  });

  test('rows of JSON keep the digits of their numbers and the order of their keys', async () => {
    const row = '{"reason":{"b":12345678901234567890,"10":1.0,"2":0.1234567890123456789},"7":[9007199254740993]}';
    for (const [name, text] of [
      ['a.jsonl', `${row}\n`],
      ['a.json', `[${row}]`],
    ] as const)
      assert.deepEqual(described((await rowsOf(name, Buffer.from(text))).rows), [`1 ${row}`]);
  });

  test('a row of Parquet that is too long is reported with its number, wherever in it the text stands', async () => {
    const file = await parquetOf(
      `select if(i = 1, repeat('界', 4000), 'short') as q, if(i = 2, list_value(repeat('y', 6000), repeat('y', 6000)), ['z']) as l,
              if(i = 3, repeat('b', 20000), 'c')::blob as b
       from range(5) t (i)`,
    );
    const { rows } = await rowsOf('a.parquet', file);
    const short = '{"q":"short","l":["z"],"b":"c"}';
    assert.deepEqual(described(rows), [`1 ${short}`, '2 too_large', '3 too_large', '4 too_large', `5 ${short}`]);
  });

  test('the excerpt of a long row does not keep the row in memory', async () => {
    const text = (row: number) => `${'x'.repeat(9_000)}${row}`;
    const rows = Array.from({ length: 1_600 }, (_, row) => ({ q: text(row) }));
    const files: [string, Buffer][] = [
      ['a.jsonl', Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))],
      ['a.json', Buffer.from(JSON.stringify(rows))],
      ['a.csv', Buffer.from(`q\n${rows.map(({ q }) => q).join('\n')}`)],
      ['a.parquet', await parquetOf("select repeat('x', 9000) || i as q from range(1600) t (i)")],
    ];
    for (const [name, bytes] of files) {
      const file = await open(name, bytes);
      const excerpts: string[] = [];
      const before = usedHeap();
      for await (const batch of file.rows) for (const row of batch) excerpts.push(row.excerpt());
      const kept = usedHeap() - before;
      assert.equal(excerpts.length, rows.length, name);
      // The last batch may still be there.
      assert.ok(kept < 8_000_000, `${name}: ${kept} bytes for ${excerpts.length} excerpts`);
    }
  });

  test('a wrong item of a JSON list does not spoil the others', async () => {
    const text = `[{"a":1},\n{"a":},\n"x",\n{"a":"${'x'.repeat(20_000)}"},\n{"a":{"b":[1,"]}"]}}]`;
    const { rows } = await rowsOf('a.json', Buffer.from(text), { pieces: 13 });
    assert.deepEqual(described(rows), [
      '1 {"a":1}',
      '2 bad_json',
      '3 wrong_type',
      '4 too_large',
      '5 {"a":{"b":[1,"]}"]}}',
    ]);
  });

  test('a row with more values than columns is wrong, one with fewer has none there', async () => {
    const { rows } = await rowsOf('a.csv', Buffer.from('a,b\n1,2,3\n4\n'));
    assert.deepEqual(described(rows), ['2 wrong_type', '3 {"a":"4","b":null}']);
  });

  test('what is nested too deeply is refused before it is walked', async () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const { rows } = await rowsOf('a.jsonl', Buffer.from([deep(10), deep(100), deep(4_900), '{"a":1}'].join('\n')));
    assert.deepEqual(
      rows.map(({ problem }) => problem?.code ?? null),
      [null, 'too_large', 'too_large', null],
    );
  });

  test('columns that are called like parts of objects are columns', async () => {
    const { rows } = await rowsOf('a.csv', Buffer.from('__proto__,constructor,a,a,\n1,2,3,4,5\n'));
    assert.deepEqual(Object.keys(rows[0]?.fields ?? {}), ['__proto__', 'constructor', 'a', 'a_2', 'column_5']);
  });
});

describe('encodings', () => {
  const text = 'q,n\nGrüße – “Zeit” für Käse und Brötchen,1\nÄpfel mögen die Bären ganz außerordentlich,2\n';
  for (const [encoding, mark] of [
    ['utf-8', '\ufeff'],
    ['utf-16le', '\ufeff'],
    ['utf-16be', '\ufeff'],
    ['windows-1252', ''],
  ] as const)
    test(`${encoding}${mark && ' with its mark'} is recognised`, async () => {
      const { file, rows } = await rowsOf('a.csv', iconv.encode(mark + text, encoding, { addBOM: false }), {
        pieces: 3,
      });
      assert.equal(rows[0]?.fields?.q, 'Grüße – “Zeit” für Käse und Brötchen');
      assert.ok([encoding, 'iso-8859-1'].includes(file.encoding ?? ''), file.encoding ?? '');
    });

  test('Chinese in GB18030 is recognised', async () => {
    const chinese =
      '问题,答案\n今天天气怎么样？北京的天空非常晴朗，适合出去散步。,今天的天气很好，请带上水和帽子。\n'.repeat(8);
    const { file, rows } = await rowsOf('a.csv', iconv.encode(chinese, 'gb18030'));
    assert.equal(file.encoding, 'gb18030');
    assert.equal(rows[0]?.fields?.['问题'], '今天天气怎么样？北京的天空非常晴朗，适合出去散步。');
  });

  test('a requested encoding is used', async () => {
    const { rows } = await rowsOf('a.csv', iconv.encode('q\nпривет\n', 'koi8-r'), { options: { encoding: 'KOI8-R' } });
    assert.equal(rows[0]?.fields?.q, 'привет');
    await assert.rejects(
      open('a.csv', Buffer.from('q\n'), { options: { encoding: 'klingon' } }),
      isFailure('unknown_encoding'),
    );
  });

  test('delimiters are found out', async () => {
    for (const delimiter of [',', ';', '\t', '|']) {
      const rows = [
        ['q', 'n'],
        ['one, or; "more"', '1'],
        ['two', '2'],
      ];
      const csv = rows.map((row) =>
        row.map((value) => (/[,;\t|"]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value)).join(delimiter),
      );
      const { file, rows: read } = await rowsOf('a.csv', Buffer.from(csv.join('\n')));
      assert.equal(file.delimiter, delimiter);
      assert.equal(read[0]?.fields?.q, 'one, or; "more"');
    }
  });
});

test('any rows of text come back from CSV and JSON as they went in', async () => {
  const value = fc
    .string({ unit: 'grapheme', maxLength: 12 })
    .filter((text) => text.trim() !== '' && !/[\r\0]/.test(text));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(value, value), { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 1, max: 40 }),
      async (table, pieces) => {
        const quoted = [['a', 'b'], ...table].map((row) =>
          row.map((text) => `"${text.replaceAll('"', '""')}"`).join(','),
        );
        const csv = await rowsOf('a.csv', Buffer.from(quoted.join('\n')), { pieces, options: { delimiter: ',' } });
        const objects = table.map(([a, b]) => ({ a, b }));
        const json = await rowsOf('a.json', Buffer.from(JSON.stringify(objects, null, 1)), { pieces });
        const jsonl = await rowsOf('a.jsonl', Buffer.from(objects.map((row) => JSON.stringify(row)).join('\n')), {
          pieces,
        });
        for (const { rows } of [csv, json, jsonl])
          assert.deepEqual(
            rows.map(({ fields }) => ({ ...fields })),
            objects,
          );
      },
    ),
    { numRuns: 60 },
  );
});

/** Bytes of V8's heap that are still used after a collection. */
function usedHeap(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test('a first line that states the delimiter to spreadsheets sets it and is no row', async () => {
  for (const [first, delimiter] of [
    ...[
      ['sep=;', ';'],
      ['sep=,', ','],
      ['sep=\t', '\t'],
      ['"sep=;"', ';'],
      ['SEP=|', '|'],
      ['\uFEFFsep=;', ';'],
    ],
    ...[
      ['sep=; ', ';'],
      ['"Sep=,"', ','],
      ['sep=;;', ';'],
      ['"sep=;";', ';'],
      ['sep=,,,', ','],
      ['sep=\t\t', '\t'],
    ],
  ] as [string, string][])
    for (const end of ['\n', '\r\n', '\r']) {
      const text = [first, `question${delimiter}answer`, `Hi${delimiter}"a${delimiter}b"`, ''].join(end);
      const { file, rows } = await rowsOf('a.csv', Buffer.from(text));
      assert.equal(file.delimiter, delimiter, JSON.stringify(first));
      assert.deepEqual(
        rows.map(({ fields }) => ({ ...fields })),
        [{ question: 'Hi', answer: `a${delimiter}b` }],
      );
      if (end !== '\r') assert.equal(rows[0]?.line, 3);
    }
  const { rows } = await rowsOf('a.csv', Buffer.from('sep=,b\n1,2\n'));
  assert.deepEqual(
    rows.map(({ fields }) => ({ ...fields })),
    [{ 'sep=': '1', b: '2' }],
  );
});

test('text columns of Parquet without the annotation of texts are read as UTF-8, and what is none is an issue of its row', async () => {
  const bytes = await parquetOf(`select * from (values
    ('Caf\\xC3\\xA9'::blob, 1), ('\\xF0\\x9F\\x98\\x80'::blob, 2), ('\\xFF\\xFE'::blob, 3), ('plain'::blob, 4)) t(q, n)`);
  const { rows } = await rowsOf('a.parquet', bytes);
  assert.deepEqual(
    rows.map(({ fields, problem }) => fields?.q ?? problem?.code),
    ['Café', '😀', 'bad_encoding', 'plain'],
  );
});
