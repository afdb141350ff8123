import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import type { ToolDefinition } from '../port.ts';
import { formats } from './formats/formats.fixture.ts';
import { promptMatcher, spaced } from './grammar-matcher.fixture.ts';
import { OutputParser } from './output-parser.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

const order: ToolDefinition = {
  name: 'order',
  description: null,
  parameters: {
    type: 'object',
    properties: {
      note: { type: 'string' },
      kind: { type: 'string', enum: ['a</parameter>', 'b', 'c"', '</tool_call>'] },
      list: { type: 'array' },
      map: { type: 'object', additionalProperties: true },
      word: { type: ['array', 'null'], items: { enum: ['</tool_call>', '\n</parameter>', 'x'] } },
    },
  },
};

function xml(given: Record<string, string>): string {
  const all = Object.entries(given).map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`);
  return `<tool_call>\n<function=order>\n${all.join('')}</function>\n</tool_call>`;
}

function parsed(pieces: readonly string[], tools: readonly ToolDefinition[] = [order]): unknown[] {
  const asked = { format: formats.xml, parallelToolCalls: true, stop: [] } as const;
  const options = { startsInReasoning: false, ...asked };
  const parser = new OutputParser({ ...options, tools });
  const deltas = [...pieces.flatMap((piece) => parser.push(piece, 1)), ...parser.end('eog')];
  return deltas.map((delta) => (delta.type === 'tool_call' ? JSON.parse(delta.arguments) : delta.text));
}

const nasty = fc
  .array(
    fc.oneof(
      fc.constantFrom('</parameter>', '</tool_call>', '</function>', '<parameter=map>', '<tool_call>'),
      fc.constantFrom(
        '\n',
        '"',
        '\\',
        '<',
        '{',
        '[',
        ' ',
        '\n</parameter>\n',
        '\n</function>\n</tool_call>',
        'null',
        '7',
      ),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(''));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.oneof(nasty, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(nasty, tie('value'), { maxKeys: 3 }),
  ),
}));
const write = fc.constantFrom(JSON.stringify, spaced, (given: unknown) => JSON.stringify(given, null, 2));

test('a call as XML that the grammar lets through comes back as the call that it was, whatever its values hold', async () => {
  const accepts = await promptMatcher(
    llama,
    { tools: [order], toolChoice: { mode: 'required' } },
    { format: formats.xml, lead: 'nothing' },
  );
  const words = fc.array(fc.constantFrom('</tool_call>', '\n</parameter>', 'x'), { maxLength: 3 });
  const calls = fc.array(
    fc.record({
      list: fc.array(value, { maxLength: 3 }),
      map: fc.dictionary(nasty, value, { maxKeys: 3 }),
      word: words,
    }),
    { minLength: 1, maxLength: 3 },
  );
  const held = fc.property(calls, write, (given, written) => {
    const texts = given.map(({ list, map, word }) =>
      xml({ list: written(list), map: written(map), word: JSON.stringify(word) }),
    );
    const text = texts.join('\n');
    assert.ok(accepts(text), text);
    assert.deepEqual(parsed([text]), JSON.parse(JSON.stringify(given)));
    assert.deepEqual(parsed(text.split('')), JSON.parse(JSON.stringify(given)));
  });
  fc.assert(held, { numRuns: 300 });

  let accepted = 0;
  const note = fc.oneof(nasty, nasty.map(JSON.stringify));
  const texts = fc.property(note, fc.constantFrom('a</parameter>', 'b', 'c"', '</tool_call>'), (given, kind) => {
    const text = xml({ note: given, kind });
    if (!accepts(text)) {
      assert.ok(/<\/(parameter|tool_call)>/.test(given + kind), text);
      return;
    }
    accepted += 1;
    assert.deepEqual(parsed([text]), [{ note: given, kind }]);
  });
  fc.assert(texts, { numRuns: 500, examples: [['"quoted" {', 'b']] });
  assert.ok(accepted > 0);
});

const planned: ToolDefinition = {
  ...order,
  parameters: {
    type: 'object',
    properties: {
      days: { $ref: '#/$defs/Days' },
      size: { $ref: '#/$defs/Size', description: 'How large' },
      when: { anyOf: [{ $ref: '#/definitions/When' }, { type: 'null' }] },
      where: { allOf: [{ $ref: '#/$defs/Place' }] },
      tree: { $ref: '#/$defs/Tree' },
      town: { anyOf: [{ $ref: '#/$defs/Days' }, { type: 'string' }] },
      free: { anyOf: [{ $ref: '#/$defs/Days' }, {}] },
      lost: { $ref: '#/$defs/Nowhere' },
      loop: { $ref: '#/$defs/Loop' },
    },
    $defs: {
      Days: { type: 'integer', minimum: 1 },
      Size: { enum: ['S', 'M'], type: 'string' },
      Place: { type: 'object', properties: { city: { $ref: '#/$defs/City' } }, required: ['city'] },
      City: { type: 'string', minLength: 2 },
      Tree: { anyOf: [{ type: 'array', items: { $ref: '#/$defs/Tree' } }, { type: 'boolean' }] },
      Loop: { anyOf: [{ $ref: '#/$defs/Loop' }, { $ref: '#/$defs/Loop' }] },
    },
    definitions: { When: { type: 'array', items: { type: 'integer' } } },
  },
};

test('a parameter has the type that it has by references and alternatives, and is held to it', async () => {
  const accepts = await promptMatcher(
    llama,
    { tools: [planned], toolChoice: { mode: 'required' } },
    { format: formats.xml, lead: 'nothing' },
  );
  for (const [name, text, value] of [
    ['days', '3', 3],
    ['size', 'M', 'M'],
    ['when', '[1, 2]', [1, 2]],
    ['when', 'null', null],
    ['where', '{"city": "</parameter> </tool_call>"}', { city: '</parameter> </tool_call>' }],
    ['tree', '[true, [[], false]]', [true, [[], false]]],
    ['town', 'Oslo', 'Oslo'],
    ['town', '3', 3],
    ['free', '[3', '[3'],
    ['free', '3', 3],
    ['lost', '3', '3'],
    ['loop', '3', '3'],
  ] as const) {
    const call = xml({ [name]: text });
    assert.ok(accepts(call), call);
    assert.deepEqual(parsed([call], [planned]), [{ [name]: value }]);
  }
  for (const [name, text] of [
    ['days', '0'],
    ['days', 'three'],
    ['size', 'L'],
    ['when', '["a"]'],
    ['when', 'soon'],
    ['where', 'Oslo'],
    ['where', '{"city": "O"}'],
    ['tree', '[1]'],
  ] as const)
    assert.ok(!accepts(xml({ [name]: text })), name + text);
});

const named: ToolDefinition = {
  ...order,
  parameters: {
    type: 'object',
    $id: 'https://example.org/order',
    properties: {
      days: { $ref: 'days' },
      size: { $ref: '#size' },
      when: { $ref: 'https://example.org/order#/definitions/List%3Cnumber%3E' },
      where: { $ref: 'place' },
      again: { $ref: '#/properties/days' },
      part: { $ref: '#/$defs/Place/properties/days' },
      lost: { $ref: 'nowhere' },
    },
    $defs: {
      Days: { $id: 'days', type: 'integer', minimum: 1 },
      Size: { $anchor: 'size', enum: ['S', 'M'], type: 'string' },
      Place: { $id: 'place', type: 'object', properties: { days: { $ref: 'days' } }, required: ['days'] },
    },
    definitions: { 'List<number>': { type: 'array', items: { type: 'integer' } } },
  },
};

test('references by id, by anchor and into a schema are followed to the type of a parameter as pointers to definitions are', async () => {
  const accepts = await promptMatcher(
    llama,
    { tools: [named], toolChoice: { mode: 'required' } },
    { format: formats.xml, lead: 'nothing' },
  );
  for (const [name, text, value] of [
    ['days', '3', 3],
    ['size', 'M', 'M'],
    ['when', '[1, 2]', [1, 2]],
    ['where', '{"days": 2}', { days: 2 }],
    ['again', '3', 3],
    ['part', '3', 3],
    ['lost', '3', '3'],
  ] as const) {
    const call = xml({ [name]: text });
    assert.ok(accepts(call), call);
    assert.deepEqual(parsed([call], [named]), [{ [name]: value }]);
  }
  for (const [name, text] of [
    ['days', '0'],
    ['days', 'three'],
    ['size', 'L'],
    ['when', '["a"]'],
    ['where', '{"days": 0}'],
    ['where', 'Oslo'],
    ['again', 'three'],
    ['part', '0'],
  ] as const)
    assert.ok(!accepts(xml({ [name]: text })), name + text);
});

test('calls as XML that no grammar holds are read as before: without line breaks, and with quotes that nothing closes', () => {
  const call = '<tool_call><function=order><parameter=list>[1]</parameter><parameter=note>5" disk</parameter>';
  const list = '<parameter=list>["</parameter>\n<parameter=map>\n{"a":1}\n</parameter>\n';
  for (const [text, expected] of [
    [`${call}</function></tool_call>`, { list: [1], note: '5" disk' }],
    [xml({ note: 'a "b' }), { note: 'a "b' }],
    [xml({ note: 'a "b\\' }), { note: 'a "b\\' }],
    [xml({ list: '["a' }), { list: '["a' }],
    [`<tool_call>\n<function=order>\n${list}</function>\n</tool_call>`, { list: '["', map: { a: 1 } }],
  ] as const) {
    assert.deepEqual(parsed([text]), [expected], text);
    assert.deepEqual(parsed([text, '\n', xml({ note: 'x' })]), [expected, { note: 'x' }], text);
  }
});
