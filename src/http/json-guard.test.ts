import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import { defaultBounds, parseJsonBody } from './json-guard.ts';

const parse = (text: string | Buffer) => parseJsonBody(Buffer.from(text));

const refused = (param?: string) => (error: unknown) =>
  error instanceof Fault && error.fault === 'invalid_request' && (param === undefined || error.options.param === param);

test('every well-formed value passes unchanged, in every spelling that JSON has for it', () => {
  const value = fc.jsonValue({ maxDepth: 6 }).filter((it) => !/\\u0000|__proto__/.test(JSON.stringify(it)));
  const escaped = (text: string) =>
    text.replace(/[^ -~\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  fc.assert(
    fc.property(value, (it) => {
      const text = JSON.stringify(it);
      assert.deepEqual(parse(text), JSON.parse(text));
      assert.deepEqual(parse(escaped(JSON.stringify(it, null, 2))), JSON.parse(text));
    }),
    { numRuns: 300 },
  );
});

test('bytes that are no JSON are refused and nothing else is thrown', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    '"',
    '\\',
    '\\u',
    '\\ud83d',
    '\\ude00',
    'null',
    '1',
    '-',
    'a',
    '\0',
    ' ',
    '\ufeff',
  ];
  const text = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(text, (it) => {
      try {
        parse(it);
      } catch (error) {
        assert.ok(error instanceof Fault && error.row.status === 400, String(error));
        return;
      }
      JSON.parse(it.replace(/^\ufeff/, ''));
    }),
    { numRuns: 5_000 },
  );
});

test('one mark of the byte order at the very beginning is passed over', () => {
  assert.deepEqual(parse('\ufeff{"a":"\ufeff"}'), { a: '\ufeff' });
  for (const text of ['\ufeff\ufeff{}', '{\ufeff}', '{}\ufeff', '\ufeff']) assert.throws(() => parse(text), refused());
});

test('invalid UTF-8 is refused: overlong forms, encoded surrogates, cut sequences', () => {
  for (const bytes of [[0xc0, 0x80], [0xed, 0xa0, 0x80], [0xe2, 0x82], [0xff], [0xf4, 0x90, 0x80, 0x80]])
    assert.throws(() => parse(Buffer.from([0x22, ...bytes, 0x22])), refused());
});

test('64 levels pass and 65 are refused, also in brackets of both sorts', () => {
  const nested = (depth: number) => `${'{"a":['.repeat(depth / 2)}${']}'.repeat(depth / 2)}`;
  assert.ok(parse(nested(64)));
  assert.throws(() => parse(`[${nested(64)}]`), refused());
  assert.ok(parse(`["${'['.repeat(100)}","\\"${'{'.repeat(100)}"]`));
});

test('a NUL or half of a surrogate pair is refused with the place of the text', () => {
  assert.throws(() => parse('{"messages":[{"content":"a"},{"content":"\\u0000"}]}'), refused('messages[1].content'));
  assert.throws(() => parse('{"name":"\\ud83d"}'), refused('name'));
  assert.throws(() => parse('{"name":"\\ude00\\ud83d"}'), refused('name'));
  assert.throws(() => parse('{"name":"\\ud83d\\n\\ude00"}'), refused('name'));
  assert.throws(() => parse('{"a":{"\\uD800":1}}'), refused('a'));
  assert.throws(() => parse('"\\u0000"'), refused());
  assert.throws(() => parse('{"a":"\0"}'), refused());
});

test('a route that looks at its texts itself gets them as they are, and takes as many fields as it says', () => {
  const text = '{"a":["\\u0000","\\ud800"]}';
  assert.throws(() => parseJsonBody(Buffer.from(text)));
  const bounds = { maxKeys: 2, maxItems: 100, badText: 'pass', exact: [] } as const;
  assert.deepEqual(parseJsonBody(Buffer.from(text), bounds), { a: ['\0', '\ud800'] });
  assert.deepEqual(parseJsonBody(Buffer.from('{"a":{"b":1}}'), bounds), { a: { b: 1 } });
  assert.throws(() => parseJsonBody(Buffer.from('{"a":{"b":{"c":1}}}'), bounds), { message: /more than 2 fields/ });
});

test('a route that takes what tools have read gets all that can be stored of it', () => {
  const bounds = { maxKeys: 9, maxItems: 100, badText: 'replace', exact: [] } as const;
  const read = (json: string) => parseJsonBody(Buffer.from(json), bounds);
  assert.deepEqual(read('{"a":["b\\u0000c","\\ud800","\\udc00x\\uD83D"]}'), { a: ['bc', '\ufffd', '\ufffdx\ufffd'] });
  assert.deepEqual(read('["\\ud83d\\uDE00\\u0000","\\\\u0000","\\\\\\u0000\\n\\u00e9"]'), ['😀', '\\u0000', '\\\né']);
  assert.deepEqual(read('{"\\u0000a":1}'), { a: 1 });
});

test('surrogate pairs, escaped backslashes before "u0000" and other escapes pass', () => {
  assert.deepEqual(parse('["\\ud83d\\uDE00","\\\\u0000","\\u0001\\b\\/"]'), ['😀', '\\u0000', '\u0001\b/']);
});

test('a key __proto__ is dropped, however it is spelled; constructor stays an ordinary field', () => {
  for (const key of ['__proto__', '\\u005f_proto__', '__pr\\u006Fto__']) {
    const value = parse(`{"a":{"${key}":{"admin":true},"b":1},"constructor":{"prototype":{"admin":true}}}`);
    assert.deepEqual(Object.keys(Object(Reflect.get(Object(value), 'a'))), ['b']);
    Object.assign({}, value);
    assert.equal(Reflect.get({}, 'admin'), undefined);
  }
});

test('bodies of a million bytes made to take long are answered or refused within 20 ms', () => {
  const bombs: Record<string, string> = {
    depth: '['.repeat(1_000_000),
    keys: `{${Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join(',')}}`,
    allowedKeys: `{${Array.from({ length: 9_999 }, (_, i) => `"k${i}${'x'.repeat(80)}":1`).join(',')}}`,
    digits: `[${'9'.repeat(1_000_000)}]`,
    fraction: `[0.${'0'.repeat(1_000_000)}1]`,
    text: `["${'x'.repeat(1_000_000)}"]`,
    escapes: `["${'\\u0041'.repeat(170_000)}"]`,
    quotes: `["${'\\"'.repeat(500_000)}"]`,
    list: `[${'1,'.repeat(500_000)}1]`,
    badText: `[${'"a",'.repeat(49_000)}"\\u0000"]`,
    duplicates: `{${Array(9_999).fill('"a":[[[[]]]]').join(',')}}`,
    strings: '"'.repeat(1_000_000),
  };
  for (const [name, bomb] of Object.entries(bombs)) {
    const bytes = Buffer.from(bomb);
    // The best of a few: what counts is the work, not what else the machine does.
    const times = Array.from({ length: 5 }, () =>
      cpuMsOf(() => {
        try {
          parseJsonBody(bytes);
        } catch (error) {
          assert.ok(error instanceof Fault, name);
        }
      }),
    );
    assert.ok(Math.min(...times) < 60, `${name}: ${Math.min(...times)} ms`);
  }
});

test('numbers and the order of names are kept in the fields that are named, and nowhere else', () => {
  const read = (text: string, exact: string[]) =>
    JSON.stringify(parseJsonBody(Buffer.from(text), { ...defaultBounds, exact }));
  const value = '{"b":9007199254740993,"1":[1.0,{"2":1e400}]}';
  const plain = '{"1":[1,{"2":null}],"b":9007199254740992}';
  const body = (tools: string, also: string) => `{"tools":${tools},"params":{"n":1,"tools":${also}}}`;
  const sent = body(value, value).replace('"n":1', '"n":1e0');
  assert.equal(read(sent, []), body(plain, plain));
  assert.equal(read(sent, ['tools']), body(value, plain));
  assert.equal(read(sent, ['params.tools']), body(plain, value));
  assert.equal(read(sent, ['params.tools', 'tools', 'n.tools', 'params.none', 'a.b.c']), body(value, value));
  for (const other of ['[]', '1', 'null', '{"params":[9007199254740993]}', '{"params":9007199254740993}'])
    assert.equal(read(other, ['params.tools']), JSON.stringify(JSON.parse(other)));
});
