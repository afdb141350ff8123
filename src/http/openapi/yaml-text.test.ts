import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { fc } from '#test/properties.ts';
import { yamlText } from './yaml-text.ts';

test('a reader of YAML finds any JSON value as it was', () => {
  const awkward = [
    '',
    ' ',
    'no',
    'NULL',
    '~',
    '1',
    '1e3',
    '0x1',
    '- a',
    'a: b',
    '# a',
    '&a',
    '|',
    'a\n\nb',
    'a\n b',
    'a\n',
    '\na',
    'a\tb\nc',
    '\x89PNG',
    'a\x85b\nc\u2028d',
    '\x7f \ufeff \ufffe',
  ];
  const key = fc.oneof(fc.constantFrom(...awkward), fc.string(), fc.string({ unit: 'binary' }));
  fc.assert(
    fc.property(
      fc.letrec((tie) => ({
        value: fc.oneof(
          { depthSize: 'small' },
          key,
          fc.integer(),
          fc.boolean(),
          fc.constant(null),
          tie('list'),
          tie('map'),
        ),
        list: fc.array(tie('value'), { maxLength: 4 }),
        map: fc.dictionary(
          key.filter((name) => name !== '__proto__'),
          tie('value'),
          { maxKeys: 4 },
        ),
      })).value,
      (value) => {
        const text = yamlText(value);
        assert.deepEqual(parse(text), JSON.parse(JSON.stringify(value)));
        // Strict readers refuse every other character.
        assert.match(text, /^[\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]*$/u);
      },
    ),
    { numRuns: 500 },
  );
});

test('texts of several lines stay readable', () => {
  const text = yamlText({
    info: { title: 'A title', description: 'One.\n\n- two\n- three' },
    list: [{ a: 1, b: [] }, [true]],
  });
  assert.equal(
    text,
    'info:\n  title: A title\n  description: |-\n    One.\n\n    - two\n    - three\nlist:\n  - a: 1\n    b: []\n  - - true\n',
  );
});
