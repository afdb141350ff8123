import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { parseExactJson } from '#kernel';
import { fc } from '#test/properties.ts';
import { type Accepts, promptMatcher, refusal } from './grammar-matcher.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

/** Of a schema as it was written. */
function matcher(text: string): Promise<Accepts> {
  // as: it is a JSON object.
  const schema = parseExactJson(text) as Record<string, unknown>;
  return promptMatcher(llama, { responseFormat: { type: 'json_schema', schema } });
}

async function check(schema: string, good: readonly string[], bad: readonly string[]): Promise<void> {
  const accepts = await matcher(schema);
  for (const text of good) assert.ok(accepts(text), `${schema} must accept ${text}`);
  for (const text of bad) assert.ok(!accepts(text), `${schema} must not accept ${text}`);
}

test('listed numbers keep their digits, and bounds have all of theirs', async () => {
  await check(
    '{"enum": [9007199254740993, 12345678901234567890]}',
    ['9007199254740993', '12345678901234567890'],
    ['9007199254740992', '12345678901234567000'],
  );
  await check('{"type": "integer", "const": 9007199254740993}', ['9007199254740993'], ['9007199254740992', '1']);
  await check('{"type": "string", "enum": ["a", 9007199254740993]}', ['"a"'], ['9007199254740993']);
  await check(
    '{"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807}',
    ['-9223372036854775808', '9223372036854775807', '0'],
    ['-9223372036854775809', '9223372036854775808'],
  );
  await check(
    '{"type": "integer", "exclusiveMinimum": 9007199254740992, "maximum": 18446744073709551615}',
    ['9007199254740993', '18446744073709551615'],
    ['9007199254740992', '18446744073709551616'],
  );
  await check(
    '{"allOf": [{"type": "integer", "maximum": 9007199254740995}, {"maximum": 9007199254740993}]}',
    ['9007199254740993'],
    ['9007199254740994'],
  );
});

test('names that look like numbers keep their place', async () => {
  const properties = '{"reason": {"type": "string"}, "10": {"type": "integer"}, "2": {"type": "integer"}}';
  const [good, bad] = ['{"reason":"x","10":1,"2":2}', '{"2":2,"10":1,"reason":"x"}'];
  for (const schema of [
    `{"type": "object", "properties": ${properties}, "required": ["reason", "10", "2"]}`,
    `{"$defs": {"a": {"$id": "a", "type": "object", "properties": ${properties}, "required": ["reason", "10", "2"]}}, "$ref": "a"}`,
    `{"allOf": [{"type": "object", "properties": ${properties}}, {"required": ["reason", "10", "2"]}]}`,
  ])
    await check(schema, [good], [bad]);
});

test('a bound may be as small, as large and as precise as numbers are', async () => {
  await check(
    '{"type": "number", "minimum": 1e-7, "maximum": 1}',
    ['0.0000001', '0.5', '1', '1.0', '0.00000010001'],
    ['0', '0.0', '0.00000009', '0.00000009999', '1.0000001', '-0.5'],
  );
  await check('{"type": "number", "exclusiveMinimum": 2.5e-9}', ['0.0000000026', '7'], ['0.0000000025', '0']);
  await check(
    '{"type": "number", "minimum": 0.123456789012345678}',
    ['0.123456789012345678', '2'],
    ['0.123456789012345677'],
  );
  await check('{"type": "number", "minimum": 1e3}', ['1000', '1000.5', '99999'], ['999', '999.9']);
  await check('{"type": "number", "exclusiveMinimum": 5e-324, "maximum": 1e-20}', [`0.${'0'.repeat(30)}1`], ['0', '1']);
  await check(
    '{"type": "number", "minimum": -0.12345678901234567, "exclusiveMaximum": 123456789012.98765432109876543}',
    ['-0.12345678901234567', '123456789012.98765432109876542', '0', '99.5', '123456789012'],
    ['-0.12345678901234568', '123456789012.98765432109876543', '123456789012.98765432109876543000', '-1'],
  );
  const large = `1${'0'.repeat(30)}`;
  await check('{"type": "integer", "minimum": 1e30}', [large, `9${large}`.slice(0, 31)], [large.slice(1), '7']);
  await check(`{"type": "integer", "minimum": ${large}, "maximum": 1e31}`, [large, `${large}0`], [`${large}1`, '0']);
  await check(
    '{"type": "integer", "maximum": 1.7976931348623157e308, "minimum": -1e308}',
    ['123456789012', '-5'],
    ['1.5'],
  );
});

test('bounds as older schemas and libraries write them mean what they say', async () => {
  await check('{"type": "integer", "minimum": 0, "exclusiveMinimum": true, "maximum": 3}', ['1', '3'], ['0', '4']);
  await check('{"type": "integer", "minimum": 0, "exclusiveMinimum": false, "maximum": 3}', ['0', '3'], ['4']);
  await check('{"type": "integer", "minimum": 1, "maximum": 3, "exclusiveMaximum": true}', ['1', '2'], ['3']);
  await check('{"type": "string", "minLength": null, "maxLength": 2, "pattern": null}', ['""', '"ab"'], ['"abc"']);
  await check('{"type": "array", "items": {"type": "null"}, "minItems": 1, "maxItems": null}', ['[null]'], ['[]']);
  await check('{"allOf": [{"type": "integer", "minimum": 3}, {"minimum": null}]}', ['3'], ['2']);
});

test('what stands beside a list of values filters it', async () => {
  for (const [beside, good, bad] of [
    ['"minLength": 2, "maxLength": 3', ['"ab"', '"éé🙂"'], ['"a"', '"abcd"']],
    ['"pattern": "^a"', ['"a"', '"ab"', '"abcd"'], ['"éé🙂"']],
    ['"pattern": "^a", "minLength": 2', ['"ab"', '"abcd"'], ['"a"']],
    ['"format": "date"', ['"2025-01-31"'], ['"2025-02-30"', '"a"']],
    ['"minimum": 2', ['2', '2.5', '9007199254740993', '"a"'], ['1']],
    ['"exclusiveMaximum": 2.5', ['1', '2'], ['2.5']],
    ['"maximum": 9007199254740992', ['2.5'], ['9007199254740993']],
    ['"multipleOf": 0.5', ['1', '2.5'], ['0.3']],
    ['"minItems": 2, "uniqueItems": true', ['[1,2]', '"a"'], ['[1]', '[1,1]']],
    ['"required": ["a"], "maxProperties": 1', ['{"a":1}'], ['{}', '{"a":1,"b":2}']],
    ['"type": "integer"', ['1', '9007199254740993'], ['2.5', '"a"']],
  ] as const) {
    const values =
      '"a", "ab", "éé🙂", "abcd", "2025-01-31", "2025-02-30", 0.3, 1, 2, 2.5, 9007199254740993, [1], [1,1], [1,2], {}, {"a":1}, {"a":1,"b":2}';
    await check(`{"enum": [${values}], ${beside}}`, good, bad);
    await check(`{"allOf": [{"enum": [${values}]}, {${beside}}]}`, good, bad);
  }
  await check('{"const": "ab", "minLength": 2}', ['"ab"'], ['"a"']);
});

test('decimals of any precision are held, whatever their bounds', async () => {
  const decimal = fc.tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 0, max: 9 }));
  // Without zeros at its end.
  const text = ([units, places]: [number, number]) =>
    (units / 10 ** places)
      .toFixed(places)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '');
  const property = fc.asyncProperty(decimal, decimal, fc.array(decimal), fc.boolean(), async (a, b, tried, isOpen) => {
    const [low = 0, high = 0] = [Number(text(a)), Number(text(b))].sort((one, other) => one - other);
    if (low === high) return;
    const bound = isOpen ? 'exclusiveMinimum' : 'minimum';
    const accepts = await matcher(`{"type": "number", "${bound}": ${low}, "maximum": ${high}}`);
    for (const each of [a, b, ...tried].map(text)) {
      const value = Number(each);
      if (Object.is(value, -0)) continue;
      const fits = value <= high && (isOpen ? value > low : value >= low);
      assert.equal(accepts(each), fits, `${each} within ${low} and ${high}, ${bound}`);
    }
  });
  await fc.assert(property, { numRuns: 60 });
});

test('values are equal however their numbers are written, and are written as they stand', async () => {
  await check('{"type": "integer", "enum": [1.0, 1e2, 2.5]}', ['1.0', '1e2'], ['2.5', '1', '100']);
  await check('{"enum": [1, 2], "const": 1.0}', ['1'], ['2']);
  await check('{"allOf": [{"enum": [1.0, 2, {"a": 1, "b": 2}]}, {"enum": [1, {"b": 2, "a": 1}]}]}', ['1.0'], ['2']);
  await check('{"allOf": [{"const": 1.0}, {"const": 1}]}', ['1.0'], ['2']);
  await check('{"uniqueItems": true, "items": {"enum": [1, 1.0, 2]}}', ['[1,2]', '[]'], ['[1,1.0]', '[1,1]']);
  for (const two of ['{"const": 1}, {"const": 1.0}', '{"const": {"a": 1, "b": 2}}, {"const": {"b": 2, "a": 1}}'])
    assert.match(refusalOf(`{"oneOf": [${two}]}`), /"oneOf"/);
});

test('steps and lengths may be written with a point or an exponent', async () => {
  await check('{"type": "integer", "multipleOf": 5.0}', ['10'], ['7']);
  await check('{"type": "number", "multipleOf": 0.10}', ['0.3'], ['0.05']);
  await check('{"type": "number", "multipleOf": 1e-7}', ['0.0000001'], ['0.00000001']);
  await check('{"type": "string", "minLength": 2.0, "maxLength": 0.3e1}', ['"ab"', '"abc"'], ['"a"', '"abcd"']);
  await check('{"type": "string", "maxLength": 9223372036854775807}', ['"a"'], ['1']);
  await check('{"type": "array", "items": {"type": "null"}, "maxItems": 1e30}', ['[null]'], ['[1]']);
});

test('a keyword that is null is not set, but "const"', async () => {
  await check(
    '{"type": "array", "items": {"type": "null"}, "minItems": null, "uniqueItems": null}',
    ['[null]'],
    ['[1]'],
  );
  await check('{"type": "string", "enum": null, "anyOf": null, "$ref": null, "allOf": null}', ['"a"'], ['1']);
  await check(
    '{"type": "object", "properties": {"a": {"type": "null"}}, "required": null, "additionalProperties": null}',
    ['{}', '{"a":null}'],
    ['{"a":1}'],
  );
  await check('{"const": null}', ['null'], ['1']);
});

test('what is said of the inside of listed values filters them, too', async () => {
  const inside = '{"properties": {"a": {"$ref": "#/$defs/small"}}, "additionalProperties": {"type": "null"}}';
  const small = '{"type": "integer", "maximum": 3}';
  await check(
    `{"enum": [{"a": 1}, {"a": 4}, {"a": "x"}, {"b": 1}, {"a": 3, "b": null}, 7], "$defs": {"small": ${small}}, "allOf": [${inside}]}`,
    ['{"a":1}', '{"a":3,"b":null}', '7'],
    ['{"a":4}', '{"a":"x"}', '{"b":1}'],
  );
  await check(
    '{"enum": [[1], ["x"], [1, "x"], []], "items": {"type": "integer"}}',
    ['[1]', '[]'],
    ['["x"]', '[1,"x"]'],
  );
  await check(
    '{"enum": [["x", 1], [1, 1], ["x", "y"]], "prefixItems": [{"type": "string"}], "items": {"minimum": 1, "type": "number"}}',
    ['["x",1]'],
    ['[1,1]', '["x","y"]'],
  );
});

test('a list of which nothing is left is refused with the keyword and its place', () => {
  const cases = [
    ['{"enum": ["a", "bc"], "minLength": 3}', '', 'minLength'],
    ['{"properties": {"a": {"enum": ["a"], "format": "date"}}}', '.properties.a', 'format'],
    ['{"properties": {"a": {"const": 5, "maximum": 4}}, "required": ["a"]}', '.properties.a', 'maximum'],
    ['{"items": {"enum": [{"a": 1}], "required": ["b"]}, "minItems": 1}', '.items', 'required'],
    ['{"type": "string", "enum": [1, 2]}', '', 'type'],
    ['{"enum": [12345678901234567890], "exclusiveMinimum": 12345678901234567890}', '', 'exclusiveMinimum'],
  ] as const;
  for (const [schema, place, keyword] of cases)
    assert.ok(refusalOf(schema).startsWith(`response_format.json_schema.schema${place}: "${keyword}" leaves`), schema);
});

test('of alternatives, those go whose list is left empty', async () => {
  await check('{"minimum": 5, "anyOf": [{"const": 1}, {"const": 7}]}', ['7'], ['1']);
});

function refusalOf(schema: string): string {
  return refusal(parseExactJson(schema));
}
