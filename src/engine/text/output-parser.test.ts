import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import type { ToolDefinition } from '../port.ts';
import { OutputParser, type OutputParserOptions } from './output-parser.ts';

const weather: ToolDefinition = {
  name: 'get_weather',
  description: null,
  parameters: {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      tags: { anyOf: [{ type: 'array' }, { type: 'null' }] },
    },
  },
};
const clock: ToolDefinition = { name: 'clock', description: null, parameters: null };

type Setup = Partial<OutputParserOptions> & { cause?: 'eog' | 'length' };
type Result = { reasoning: string; content: string; calls: { name: string; arguments: string }[]; reason: string };

function parse(pieces: readonly string[], setup: Setup) {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [weather, clock],
    toolSyntax: 'json',
    parallelToolCalls: true,
    stop: [],
    ...setup,
  });
  const deltas = pieces.flatMap((piece) => parser.push(piece, 1));
  deltas.push(...parser.end(setup.cause ?? 'eog'));
  return { deltas, reason: parser.reason };
}

function run(pieces: readonly string[], setup: Setup = {}): Result {
  const { deltas, reason } = parse(pieces, setup);
  const result: Result = { reasoning: '', content: '', calls: [], reason };
  for (const delta of deltas) {
    if (delta.type === 'tool_call') {
      assert.equal(delta.index, result.calls.length);
      assert.doesNotThrow(() => JSON.parse(delta.arguments));
      result.calls.push({ name: delta.name, arguments: delta.arguments });
      continue;
    }
    assert.notEqual(delta.text, '', 'no empty delta');
    assert.ok(delta.text.isWellFormed(), 'no half of a character');
    result[delta.type] += delta.text;
  }
  return result;
}

/** What an answer says before, between and behind its calls. */
function contentAroundCalls(output: string, setup: Setup): string[] {
  const texts = [''];
  for (const delta of parse([output], setup).deltas) {
    if (delta.type === 'tool_call') texts.push('');
    else if (delta.type === 'content') texts.push(texts.pop() + delta.text);
  }
  return texts;
}

const sun = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>';
const sunCall = { name: 'get_weather', arguments: '{"city":"Paris"}' };

/** What each output becomes, whole. */
const corpus: { name: string; text: string; setup?: Setup; expected: Partial<Result> }[] = [
  { name: 'plain text', text: 'Hello, world 🙂!\n', expected: { content: 'Hello, world 🙂!\n' } },
  { name: 'nothing', text: '', expected: {} },
  { name: 'only whitespace', text: ' \n ', expected: { content: ' \n ' } },
  {
    name: 'reasoning and answer',
    text: ' \n<think>\r\n\nA < B\n\nso\n</think>\n\nYes 🙂',
    expected: { reasoning: 'A < B\n\nso', content: 'Yes 🙂' },
  },
  { name: 'an empty think block', text: '<think>\n\n</think>\n\nYes', expected: { content: 'Yes' } },
  {
    name: 'an open prompt',
    text: 'A\n</think>\n\nYes',
    setup: { startsInReasoning: true },
    expected: { reasoning: 'A', content: 'Yes' },
  },
  {
    name: 'an open prompt whose tag is repeated',
    text: '\n<think>\nA</think>Yes',
    setup: { startsInReasoning: true },
    expected: { reasoning: 'A', content: 'Yes' },
  },
  {
    name: 'reasoning cut by length',
    text: '<think>\nA </thi',
    setup: { cause: 'length' },
    expected: { reasoning: 'A </thi', reason: 'length' },
  },
  { name: 'reasoning that just ends', text: '<think>\nA\n', expected: { reasoning: 'A\n', reason: 'length' } },
  { name: 'a think tag later on', text: 'A <think>b</think> c', expected: { content: 'A b c' } },
  { name: 'a closing tag alone', text: '</think>\n\nYes', expected: { content: 'Yes' } },
  {
    name: 'tags that are none',
    text: 'a <b> <thin k> </tool_call> <tool_cal',
    expected: { content: 'a <b> <thin k> </tool_call> <tool_cal' },
  },
  { name: 'one call', text: sun, expected: { calls: [sunCall], reason: 'tool_calls' } },
  {
    name: 'text, calls and blanks between them',
    text: `<think>\nx\n</think>\n\nLet me see.\n\n${sun}\n \n${sun}\n`,
    expected: { reasoning: 'x', content: 'Let me see.', calls: [sunCall, sunCall], reason: 'tool_calls' },
  },
  {
    name: 'text behind a call',
    text: `${sun}\n\nDone.`,
    expected: { content: '\n\nDone.', calls: [sunCall], reason: 'tool_calls' },
  },
  { name: 'a call inside reasoning', text: `<think>${sun}</think>ok`, expected: { reasoning: sun, content: 'ok' } },
  { name: 'a call without tools', text: sun, setup: { tools: [] }, expected: { content: sun } },
  {
    name: 'no arguments, arguments as text, and exact numbers',
    text: '<tool_call>{"name":"clock"}</tool_call><tool_call>{"name":"clock","arguments":"{\\"a\\": 1}"}</tool_call><tool_call>{"name":"clock","arguments":{"a":12345678901234567890,"b":1.0,"c":1e2}}</tool_call>',
    expected: {
      calls: [
        { name: 'clock', arguments: '{}' },
        { name: 'clock', arguments: '{"a":1}' },
        { name: 'clock', arguments: '{"a":12345678901234567890,"b":1.0,"c":1e2}' },
      ],
      reason: 'tool_calls',
    },
  },
  {
    name: 'tags inside an argument',
    text: '<tool_call>{"name":"clock","arguments":{"a":"</tool_call> \\" <tool_call> </think>"}}</tool_call>',
    expected: {
      calls: [{ name: 'clock', arguments: '{"a":"</tool_call> \\" <tool_call> </think>"}' }],
      reason: 'tool_calls',
    },
  },
  ...[
    '{"name": "nobody", "arguments": {}}',
    '{"name": "clock", ',
    '[1]',
    'null',
    '',
    '{"name": "clock", "arguments": [1]}',
    '{"name": "clock", "arguments": "x"}',
  ].map((inside) => ({
    name: `no call: ${inside}`,
    text: `a \n<tool_call>${inside}</tool_call> b`,
    expected: { content: `a \n<tool_call>${inside}</tool_call> b` },
  })),
  {
    name: 'think tags inside what is no call',
    text: '<tool_call><think>a</think></tool_call>',
    expected: { content: '<tool_call>a</tool_call>' },
  },
  {
    name: 'a broken call does not hide the next one',
    text: `<tool_call>\n{"name": "clock, {}}\n</tool_call>\n${sun}`,
    expected: { content: '<tool_call>\n{"name": "clock, {}}\n</tool_call>', calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a call cut by length',
    text: 'Hm.\n<tool_call>\n{"name": "clock"}\n</tool_',
    setup: { cause: 'length' },
    expected: { content: 'Hm.\n<tool_call>\n{"name": "clock"}\n</tool_', reason: 'length' },
  },
  {
    name: 'a whole call without its closing tag',
    text: sun.slice(0, -13),
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'one call only',
    text: `${sun}\n${sun}`,
    setup: { parallelToolCalls: false },
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string',
    text: 'one two END three',
    setup: { stop: ['END', 'four'] },
    expected: { content: 'one two ' },
  },
  { name: 'a stop string at the end', text: 'one\n', setup: { stop: ['\n'] }, expected: { content: 'one' } },
  { name: 'half a stop string', text: 'aabaabaa', setup: { stop: ['aabaaa'] }, expected: { content: 'aabaabaa' } },
  {
    name: 'a stop string that overlaps itself',
    text: 'xaabaabaac',
    setup: { stop: ['aabaac'] },
    expected: { content: 'xaab' },
  },
  { name: 'the first stop string to end', text: 'abcd', setup: { stop: ['abcd', 'bc'] }, expected: { content: 'a' } },
  {
    name: 'a stop string inside reasoning',
    text: '<think>END</think>a END b',
    setup: { stop: ['END'] },
    expected: { reasoning: 'END', content: 'a ' },
  },
  {
    name: 'a stop string inside a call',
    text: sun,
    setup: { stop: ['Paris'] },
    expected: { calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string inside what is no call',
    text: '<tool_call>{"name":"x"}</tool_call> y',
    setup: { stop: ['"x"'] },
    expected: { content: '<tool_call>{"name":' },
  },
  {
    name: 'a stop string half in front of a call',
    text: `EN${sun}`,
    setup: { stop: ['END'] },
    expected: { content: 'EN', calls: [sunCall], reason: 'tool_calls' },
  },
  {
    name: 'a stop string of characters outside the basic plane',
    text: 'a🙂🙃b',
    setup: { stop: ['🙃'] },
    expected: { content: 'a🙂' },
  },
  {
    name: 'calls as XML',
    text: '<tool_call>\n<function=get_weather>\n<parameter=city>\n7\n</parameter>\n<parameter=days>\n3\n</parameter>\n<parameter=tags>\n["a", null]\n</parameter>\n</function>\n</tool_call><tool_call><function=clock></function></tool_call>',
    setup: { toolSyntax: 'xml' },
    expected: {
      calls: [
        { name: 'get_weather', arguments: '{"city":"7","days":3,"tags":["a",null]}' },
        { name: 'clock', arguments: '{}' },
      ],
      reason: 'tool_calls',
    },
  },
  {
    name: 'XML that is no call',
    text: '<tool_call><function=get_weather><parameter=city>x</function></tool_call>',
    setup: { toolSyntax: 'xml' },
    expected: { content: '<tool_call><function=get_weather><parameter=city>x</function></tool_call>' },
  },
];

const empty: Result = { reasoning: '', content: '', calls: [], reason: 'stop' };

test('every output of the corpus becomes the right reasoning, content, calls and reason', () => {
  for (const { name, text, setup, expected } of corpus)
    assert.deepEqual(run([text], setup), { ...empty, ...expected }, name);
});

test('no split of an output changes the result: every pair of points, and one unit at a time', () => {
  for (const { name, text, setup, expected } of corpus) {
    const whole = { ...empty, ...expected };
    assert.deepEqual(run(text.split(''), setup), whole, name);
    for (let first = 0; first <= text.length; first += 1) {
      for (let second = first; second <= text.length; second += first % 4 === 0 ? 1 : 7) {
        const pieces = [text.slice(0, first), text.slice(first, second), text.slice(second)];
        assert.deepEqual(run(pieces, setup), whole, `${name} at ${first}, ${second}`);
      }
    }
  }
});

test('no split of a generated output changes the result', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '<think>',
      '</think>',
      '<tool_call>',
      '</tool_call>',
      '\n',
      ' ',
      '<',
      '</',
      '"',
      '\\',
      '{',
      '🙂',
      'END',
    ),
    fc.constantFrom(sun, '{"name":"clock","arguments":{"a":"', '"}}', '<function=clock>', '</function>', 'E', 'think>'),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
  const setup = fc.record({
    startsInReasoning: fc.boolean(),
    parallelToolCalls: fc.boolean(),
    toolSyntax: fc.constantFrom('json' as const, 'xml' as const),
    tools: fc.constantFrom([], [weather, clock]),
    stop: fc.subarray(['END', '\n\n', '🙂', '</', 'EE', ' ']),
    cause: fc.constantFrom('eog' as const, 'length' as const),
  });
  const cuts = fc.array(fc.nat(200), { maxLength: 20 });
  const property = fc.property(text, setup, cuts, (output, options, points) => {
    const whole = run([output], options);
    const sorted = [0, ...points.filter((point) => point < output.length).sort((a, b) => a - b), output.length];
    const pieces = sorted.map((point, index) => output.slice(sorted[index - 1] ?? 0, point));
    assert.deepEqual(run(pieces, options), whole);
    assert.deepEqual(run(output.split(''), options), whole);
    // What stands before a call and what stands behind it may be one when they are put together; the model did not write that.
    for (const content of contentAroundCalls(output, options))
      for (const stop of options.stop) assert.ok(!content.includes(stop), 'stop text is not returned');
    if (options.tools.length === 0) assert.equal(whole.calls.length, 0);
    assert.equal(whole.reason === 'tool_calls', whole.calls.length > 0);
  });
  fc.assert(property, { numRuns: 3000 });
});

test('text is handed on at once where it can begin no tag and no stop string', () => {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [],
    toolSyntax: 'json',
    parallelToolCalls: true,
    stop: ['stop'],
  });
  assert.deepEqual(parser.push('Hello', 1), [{ type: 'content', text: 'Hello' }]);
  assert.deepEqual(parser.push(' st', 1), [{ type: 'content', text: ' ' }]);
  assert.deepEqual(parser.push('ay <', 1), [{ type: 'content', text: 'stay ' }]);
  assert.deepEqual(parser.push('b> \uD83D', 1), [{ type: 'content', text: '<b> ' }]);
  assert.deepEqual(parser.push('\uDE42', 1), [{ type: 'content', text: '🙂' }]);
});

test('reasoning tokens are those up to the closing tag, and the parser tells where it stands', () => {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [clock],
    toolSyntax: 'json',
    parallelToolCalls: false,
    stop: [],
  });
  const state = () => [parser.undecided, parser.inReasoning, parser.reasoningEnded, parser.reasoningTokens];
  assert.deepEqual(state(), [true, false, false, 0]);
  parser.push('<think>', 1);
  parser.push('\n', 1);
  assert.deepEqual(state(), [false, true, false, 2]);
  parser.push('hm </think', 3);
  assert.deepEqual(state(), [false, true, false, 5]);
  parser.push('>\n\nA', 2);
  assert.deepEqual(state(), [false, false, true, 7]);
  parser.push('nswer <tool_call>{"name":"clock"}</tool_call>', 9);
  assert.deepEqual(state(), [false, false, true, 7]);
  assert.equal(parser.stopped, 'tool_calls');
  assert.deepEqual(parser.push('more', 1), []);
  assert.deepEqual(parser.end('length'), []);
  assert.equal(parser.reason, 'tool_calls');
});

test('half a character that never becomes whole is replaced, not passed on', () => {
  assert.equal(run(['a\uD83D']).content, 'a\uFFFD');
  assert.deepEqual(run(['<think>\uD83D', '</think>x']), { ...empty, reasoning: '\uFFFD', content: 'x' });
});

test('the time is linear in the output, whatever it holds', () => {
  const parts = 200_000;
  const outputs: [string, Setup][] = [
    ['<'.repeat(parts), {}],
    [`<think>${'\n'.repeat(parts)}x`, {}],
    [`<tool_call>{"a":"${'</tool_call>'.repeat(parts / 10)}`, {}],
    ['<tool_call></tool_call>'.repeat(parts / 20), {}],
    ['a'.repeat(parts), { stop: [`${'a'.repeat(parts / 2)}b`] }],
    [
      `<tool_call><function=clock>${'<parameter=a>\n</parameter>'.repeat(parts / 20)}</tool_call>`,
      { toolSyntax: 'xml' },
    ],
    [`x${' '.repeat(parts)}y`, {}],
  ];
  for (const [output, setup] of outputs) {
    const ms = cpuMsOf(() => run(output.match(/[\s\S]{1,3}/g) ?? [], setup));
    assert.ok(ms < 3_000, `${output.slice(0, 20)}: ${ms} ms`);
  }
});
