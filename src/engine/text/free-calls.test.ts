import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import type { ChatPrompt, ToolDefinition } from '../port.ts';
import { formats } from './formats/formats.fixture.ts';
import type { OutputFormat } from './formats/output-format.ts';
import { freeCallGrammar } from './grammar.ts';
import { type Accepts, promptGrammar, promptMatcher, textMatcher } from './grammar-matcher.fixture.ts';
import { OutputParser } from './output-parser.ts';
import { chatPrompt } from './prompt.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

const parameters = {
  type: 'object',
  properties: { city: { enum: ['Paris', 'Rome'], type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['city'],
  additionalProperties: false,
};
const weather: ToolDefinition = { name: 'weather', description: null, parameters, strict: true };
const loose: ToolDefinition = { name: 'loose', description: null, parameters };
const clock: ToolDefinition = { name: 'clock', description: null, parameters: null, strict: false };
const tools = [loose, weather, clock];

function call(name: string, args: string): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;
}

async function matcher(prompt: Partial<ChatPrompt>, format: OutputFormat = formats.json): Promise<Accepts> {
  const grammar = freeCallGrammar(chatPrompt(prompt), format);
  assert.ok(grammar !== null);
  return textMatcher(llama, grammar);
}

function parser(format: OutputFormat = formats.json, startsInReasoning = false): OutputParser {
  return new OutputParser({
    startsInReasoning,
    tools,
    format,
    parallelToolCalls: true,
    stop: [],
  });
}

test('a free answer is constrained only where a tool is strict, and only where it is free', () => {
  const grammarOf = (change: Partial<ChatPrompt>) => freeCallGrammar(chatPrompt(change), formats.json);
  assert.equal(grammarOf({}), null);
  assert.equal(grammarOf({ tools: [loose, clock] }), null);
  assert.equal(grammarOf({ tools, toolChoice: { mode: 'none' } }), null);
  assert.equal(grammarOf({ tools, toolChoice: { mode: 'required' } }), null);
  assert.equal(grammarOf({ tools, toolChoice: { mode: 'named', name: 'weather' } }), null);
  assert.equal(grammarOf({ tools, responseFormat: { type: 'json_object' } }), null);
  assert.ok(grammarOf({ tools }) !== null);
  assert.equal(promptGrammar(chatPrompt({ tools })), null, 'the answer may begin with anything');
});

test('between calls any text may stand, and a call is one of a tool: of a strict one it fits the schema', async () => {
  const accepts = await matcher({ tools });
  const paris = call('weather', '{"city": "Paris", "days": 3}');
  const anything = call('loose', '{"town": [1, {"a": null}], "city": 7}');
  const good = [
    '',
    'Hello <b> <tool_cal <tool_call <<tool_ call> </tool_call> <think>\n\u{1f642}',
    paris,
    `Let me see.\n${paris}`,
    `${paris}\n${anything}<< and ${call('clock', '{"a": 1}')} that is all`,
    `<tool_c${paris}`,
    call('loose', '{}'),
  ];
  const bad = [
    '<tool_call>',
    '<tool_call> is a tag',
    call('other', '{}'),
    call('weather', '{}'),
    call('weather', '{"city": "Oslo"}'),
    call('weather', '{"city": "Rome", "days": 0}'),
    call('weather', '{"city": "Rome", "more": 1}'),
    call('loose', '[]'),
    `${paris} ${call('weather', '{}')}`,
    paris.slice(0, -1),
    paris.replace('</', ''),
  ];
  for (const text of good) assert.ok(accepts(text), text);
  for (const text of bad) assert.ok(!accepts(text), text);
});

test('as XML, too: what a strict tool takes is named and has its type, others take anything', async () => {
  const accepts = await matcher({ tools }, formats.xml);
  const xml = (name: string, given: Record<string, string>) => {
    const all = Object.entries(given).map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>\n`);
    return `<tool_call>\n<function=${name}>\n${all.join('')}</function>\n</tool_call>`;
  };
  const good = [
    'Hello',
    xml('weather', { city: 'Rome', days: '3' }),
    `Well: ${xml('weather', { city: 'Rome' })}\n${xml('loose', { x: 'a < b', city: 'Oslo', days: '{}' })} done`,
    xml('clock', {}),
  ];
  const bad = [
    xml('other', {}),
    xml('weather', { city: 'Oslo' }),
    xml('weather', { days: '3' }),
    xml('weather', { city: 'Rome', days: 'three' }),
    xml('weather', { city: 'Rome', more: 'x' }),
    xml('loose', { x: `</tool_call> ${call('weather', '{}')}` }),
    call('weather', '{"city": "Rome"}'),
  ];
  for (const text of good) assert.ok(accepts(text), text);
  for (const text of bad) assert.ok(!accepts(text), text);
});

const pieces = [
  ...['<tool_call>', '<tool_', 'call>', '<', '>', '\n', ' ', 'a', '</tool_call>', '\u{1f642}'],
  ...['\n{"name": "weather", "arguments": {"city": "', '\n{"name": "loose", "arguments": {"city": "'],
  ...['Rome', 'Oslo', '"}}\n</tool_call>', call('weather', '{"city": "Rome"}'), call('weather', '{}')],
];
const thinkTags = ['<think>', '</think>'];
const answers = fc.array(fc.constantFrom(...pieces), { maxLength: 12 });
const outputs = fc.array(fc.constantFrom(...pieces, ...thinkTags), { maxLength: 12 });

test('whatever is written by the grammar, the parser reads its calls as calls and nothing of them as text', async () => {
  const accepts = await matcher({ tools });
  let calls = 0;
  const property = fc.property(answers, (written) => {
    const text = written.join('');
    if (!accepts(text)) {
      assert.ok(text.includes('<tool_call>'), 'text without a call may be anything');
      return;
    }
    const reader = parser();
    const deltas = [...reader.push(text, 1), ...reader.end('eog')];
    const content = deltas.map((delta) => (delta.type === 'content' ? delta.text : '|')).join('');
    assert.ok(!content.includes('<tool_call>'), content);
    for (const delta of deltas) {
      if (delta.type !== 'tool_call') continue;
      calls += 1;
      if (delta.name === 'weather') assert.equal(delta.arguments, '{"city":"Rome"}');
      else assert.deepEqual(Object.keys(JSON.parse(delta.arguments)), ['city']);
    }
  });
  fc.assert(property, { numRuns: 2_000, examples: [[[call('weather', '{"city": "Rome"}')]]] });
  assert.ok(calls > 0);
});

test('a call is seen to begin in exactly the piece of text in which the parser begins one', () => {
  const cut = fc.array(fc.nat(60), { maxLength: 10 });
  const begins = (text: string, options: readonly [OutputFormat, boolean]): boolean => {
    const reader = parser(...options);
    return reader.push(`${text}{"name":"clock"}</tool_call>`, 1).some(({ type }) => type === 'tool_call');
  };
  const property = fc.property(outputs, cut, fc.boolean(), (written, cuts, startsInReasoning) => {
    const text = written.join('');
    const places = [...new Set([0, text.length, ...cuts.filter((at) => at < text.length)])].sort((a, b) => a - b);
    const reader = parser(formats.json, startsInReasoning);
    for (const [index, from] of places.slice(0, -1).entries()) {
      const to = places[index + 1] ?? text.length;
      const ends = Array.from({ length: to - from }, (_, at) => from + at + 1);
      const expected = ends.some((end) => begins(text.slice(0, end), [formats.json, startsInReasoning]));
      assert.equal(reader.beginsCall(text.slice(from, to)) !== null, expected, JSON.stringify([text, from, to]));
      if (expected) return;
      reader.push(text.slice(from, to), 1);
    }
  });
  fc.assert(property, { numRuns: 1_000 });
});

test('a strict tool behind many with costly schemas is held to its own all the same', async () => {
  const costly = (at: number) => ({
    type: 'string',
    pattern: `^(${String.fromCodePoint(0x4e00 + at)}{1,20}|x${at}{1,30}){1,20}$`,
  });
  const properties = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}`, costly(at)]));
  const others = Array.from({ length: 127 }, (_, at) => ({
    name: `tool${at}`,
    description: null,
    parameters: { type: 'object', properties },
  }));
  const all = [...others, weather];
  for (const accepts of [
    await matcher({ tools: all }),
    await promptMatcher(llama, { tools: all, toolChoice: { mode: 'required' } }),
  ]) {
    assert.ok(accepts(call('weather', '{"city": "Rome"}')));
    assert.ok(!accepts(call('weather', '{"city": "Oslo"}')));
  }
});
