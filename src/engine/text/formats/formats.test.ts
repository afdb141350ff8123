import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { fc } from '#test/properties.ts';
import type { ChatMessage, ToolDefinition } from '../../port.ts';
import { freeCallGrammar, promptGrammars } from '../grammar.ts';
import { spaced, textMatcher } from '../grammar-matcher.fixture.ts';
import { OutputParser } from '../output-parser.ts';
import { chatPrompt, system, user } from '../prompt.fixture.ts';
import { type ChatTemplate, compileChatTemplate, renderChat, renderTurn } from '../template.ts';
import { capabilitiesOf } from './capabilities.ts';
import { examples, type FormatExample } from './templates.fixture.ts';

const llama = await getLlama({ gpu: false, build: 'never', logLevel: LlamaLogLevel.disabled });
after(() => llama.dispose());

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'integer' },
    precise: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  },
  required: ['city'],
};
const weather: ToolDefinition = { name: 'get_weather', description: 'Weather', parameters, strict: true };
const clock: ToolDefinition = { name: 'clock', description: 'Time', parameters: { type: 'object', properties: {} } };
const tools = [weather, clock];

type GivenCall = { name: string; arguments: Record<string, unknown> };

function compiled({ source, controlTokens }: FormatExample): ChatTemplate {
  return compileChatTemplate({
    source,
    controlTokens,
    bosToken: '<s>',
    eosToken: '<|im_end|>',
    now: () => new Date(0),
  });
}

/** What a model would have written: the calls as the template renders them, behind its prompt. */
function writtenCalls(template: ChatTemplate, calls: readonly GivenCall[]): string {
  const messages = [user('Q')];
  const toolCalls = calls.map((call, at) => ({
    id: `call_${at}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
  }));
  const before = renderChat(template, chatPrompt({ messages, tools })).text;
  const answer = { role: 'assistant', content: '', reasoning: null, toolCalls } as const;
  const whole = renderChat(template, chatPrompt({ messages: [...messages, answer, user('END')], tools })).text;
  let at = 0;
  while (at < before.length && before[at] === whole[at]) at += 1;
  const rest = whole.slice(at);
  const end = rest.search(/<\|im_end\|>|<\|start\|>user|<\|call\|><\|start\|>user/);
  return rest.slice(0, end);
}

function parsed(template: ChatTemplate, pieces: readonly string[]) {
  const { format } = template;
  const parser = new OutputParser({ format, startsInReasoning: false, tools, parallelToolCalls: true, stop: [] });
  const deltas = [...pieces.flatMap((piece) => parser.push(piece, 1)), ...parser.end('eog')];
  const texts = (type: 'content' | 'reasoning') =>
    deltas.map((delta) => (delta.type === type ? delta.text : '')).join('');
  const calls = deltas.flatMap((delta) =>
    delta.type === 'tool_call' ? [{ name: delta.name, arguments: JSON.parse(delta.arguments) }] : [],
  );
  return { calls, content: texts('content'), reasoning: texts('reasoning') };
}

const parsedCall = ({ name, arguments: text }: { name: string; arguments: string }) => ({
  name,
  arguments: JSON.parse(text) as unknown,
});

const awkward = fc
  .array(
    fc.oneof(
      fc.constantFrom('"', "'", '\\', '\n', '<', '>', '{', '}', '[', ']', ',', ': ', '=', '</', '🙂', ' ', 'True', '7'),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join(''));
/** Texts without line breaks and blanks at their ends: some formats have no way to tell those from their own. */
const inner = awkward.map((text) => `a${text}z`);
const given = fc.record(
  { city: inner, days: fc.integer(), precise: fc.boolean(), tags: fc.array(inner, { maxLength: 3, minLength: 1 }) },
  { requiredKeys: ['city'], noNullPrototype: true },
);
const oneCall = fc.oneof(
  given.map((all): GivenCall => ({ name: 'get_weather', arguments: all })),
  fc.constant<GivenCall>({ name: 'clock', arguments: {} }),
);

/** Written by Python's Jinja2 from the same templates and the conversation below. */
const golden = JSON.parse(readFileSync(new URL('../golden/format-renderings.json', import.meta.url), 'utf8')) as {
  name: string;
  text: string;
}[];

const past = { city: 'Zürich "x" <b>', days: 3, precise: true, tags: ['a', "b'c"] };
const pastCalls = [
  { id: 'abcdefgh1', name: 'get_weather', arguments: spaced(past) },
  { id: 'abcdefgh2', name: 'clock', arguments: '{}' },
];
const offered: ToolDefinition[] = [
  {
    name: 'get_weather',
    description: 'Weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  },
  { name: 'clock', description: 'Time', parameters: { type: 'object', properties: {} } },
];

for (const example of examples) {
  const template = compiled(example);
  const most = example.parallel === false ? 1 : 3;
  const calls = fc.array(oneCall, { minLength: 1, maxLength: most });

  test(`calls come back as they were written, however their text is split: ${example.name}`, () => {
    const cuts = fc.array(fc.nat(400), { maxLength: 12 });
    const property = fc.property(calls, cuts, (asked, points) => {
      const text = writtenCalls(template, asked);
      const whole = parsed(template, [text]);
      assert.deepEqual(whole, { calls: asked, content: '', reasoning: '' }, text);
      assert.deepEqual(parsed(template, text.split('')), whole);
      const sorted = [0, ...points.filter((at) => at < text.length).sort((a, b) => a - b), text.length];
      const pieces = sorted.map((at, index) => text.slice(sorted[index - 1] ?? 0, at));
      assert.deepEqual(parsed(template, pieces), whole);
    });
    fc.assert(property, { numRuns: 60 });
  });

  test(`a history is rendered byte for byte as Python's Jinja2 does: ${example.name}`, () => {
    const toolCalls = example.parallel === false ? pastCalls.slice(0, 1) : pastCalls;
    const messages: ChatMessage[] = [
      user('Hi'),
      { role: 'assistant', content: 'Let me see.', reasoning: null, toolCalls },
      ...toolCalls.map(({ id }): ChatMessage => ({ role: 'tool', content: 'Sun', toolCallId: id })),
      { role: 'assistant', content: 'Sunny.', reasoning: null, toolCalls: [] },
      user('Thanks'),
    ];
    const expected = golden.find(({ name }) => name === example.name)?.text;
    // What a template leaves out is written into the message.
    const isLeftOut = template.format.history.calls === 'text';
    const text = renderChat(template, chatPrompt({ messages, tools: offered })).text;
    // So are tools that it does not show.
    const asked =
      template.format.tools === null
        ? text.replace(/^<\|im_start\|>system\nYou can call .*?<\|im_end\|>\n/s, '')
        : text;
    const shown = isLeftOut ? text.replace(`\n${template.format.calls.write(toolCalls.map(parsedCall))}`, '') : asked;
    assert.equal(shown, expected);
  });

  test(`a forced call has the form of the template, and arguments that fit the schema: ${example.name}`, async () => {
    const prompt = chatPrompt({ tools, toolChoice: { mode: 'required' } });
    const grammar = promptGrammars(prompt, template.format)?.('nothing');
    assert.ok(grammar !== undefined);
    const accepts = await textMatcher(llama, grammar);
    const simple: GivenCall[] = [{ name: 'get_weather', arguments: { city: 'Bern', days: 3, tags: ['a', 'b'] } }];
    const text = writtenCalls(template, simple);
    assert.ok(accepts(text) || accepts(text.replaceAll('True', 'true')), `${text}\n${grammar}`);
    if (most > 1) assert.ok(accepts(writtenCalls(template, [...simple, { name: 'clock', arguments: {} }])));
    for (const wrong of [{ city: 'Bern', days: 'x' }, { days: 3 }])
      assert.ok(!accepts(writtenCalls(template, [{ name: 'get_weather', arguments: wrong }])), JSON.stringify(wrong));
    assert.ok(!accepts(writtenCalls(template, [{ name: 'nobody', arguments: {} }])));
    assert.ok(!accepts('Bern is sunny.'));
  });

  test(`a strict tool is held to its schema where the model chooses to call: ${example.name}`, async () => {
    const prompt = chatPrompt({ tools });
    const grammar = template.format.calls.startsAnswer
      ? promptGrammars(prompt, template.format)?.('nothing')
      : freeCallGrammar(prompt, template.format);
    assert.ok(grammar !== undefined && grammar !== null);
    const accepts = await textMatcher(llama, grammar);
    const text = writtenCalls(template, [{ name: 'get_weather', arguments: { city: 'Bern' } }]);
    assert.ok(accepts(`${template.format.answerOpening}Bern is sunny.`));
    assert.ok(accepts(text), `${text}\n${grammar}`);
    const wrong = writtenCalls(template, [{ name: 'get_weather', arguments: { days: 3 } }]);
    assert.ok(!accepts(wrong), wrong);
  });

  test(`its capabilities are found: ${example.name}`, () => {
    const { tools: canCall, parallelToolCalls, missing } = capabilitiesOf(template.format.spec);
    assert.deepEqual([canCall, parallelToolCalls], [true, example.parallel !== false]);
    assert.equal(missing.parallel_tool_calls !== undefined, example.parallel === false);
  });
}

test('Gemma: values as Python writes them, or left out', () => {
  const example = examples.find(({ family }) => family === 'Gemma 4');
  assert.ok(example !== undefined);
  const text = '<|tool_call>call:get_weather{city:None,days:,precise:True,tags:[None,false,]}<tool_call|>';
  const { calls } = parsed(compiled(example), [text]);
  const values = { city: null, days: null, precise: true, tags: [null, false, null] };
  assert.deepEqual(calls, [{ name: 'get_weather', arguments: values }]);
});

test('tools that a template does not show join the system message, and training tells the same', () => {
  const example = examples.find(({ family }) => family === 'DeepSeek V3.1');
  assert.ok(example !== undefined);
  const template = compiled(example);
  const messages = [system('Be brief.'), user('Hi')];
  const { text } = renderChat(template, chatPrompt({ messages, tools }));
  assert.match(
    text,
    /^<\|im_start\|>system\nYou can call [^|]*"get_weather"[\s\S]*\n\nBe brief\.<\|im_end\|>\n<\|im_start\|>user\nHi/,
  );
  assert.equal(text.match(/<\|im_start\|>system/g)?.length, 1);
  assert.equal(renderTurn(template, { messages: [...messages, user('x')], tools, thinking: true }).before.text, text);
  assert.equal(
    renderChat(template, chatPrompt({ messages, tools, toolChoice: { mode: 'none' } })).text.includes('weather'),
    false,
  );
});

test('a template that needs the types of contents gets them', () => {
  const source =
    "{{ tools | tojson if tools }}{%- for t in tools %}{% for k, p in t.function.parameters.properties | items %}{{ k }}={{ p.items.type if p.type == 'array' else {'string': 'str'}[p.additionalProperties.type] }};{% endfor %}{% endfor -%}{%- for m in messages %}{{ m.content }}{% endfor -%}";
  const given = { type: 'object', properties: { a: { type: 'array', items: {} }, b: { type: 'object' } } };
  const asked = [{ name: 'get_weather', description: null, parameters: given }];
  const shown = compiled({ source, controlTokens: [], family: '', name: '' });
  assert.match(renderChat(shown, chatPrompt({ messages: [user('x')], tools: asked })).text, /a=string;b=str;x$/);
});

test('a template that knows one type of a parameter gets the first one', () => {
  const source =
    "{%- for t in tools %}{% for k, p in t.function.parameters.properties | items %}{{ {'string': 'str', 'integer': 'int'}[p.type] }} {{ k }};{% endfor %}{% endfor -%}{%- for m in messages %}{{ m.content }}{% endfor -%}";
  const given = { type: 'object', properties: { a: { type: ['null', 'integer'] }, b: { type: ['string', 'null'] } } };
  const asked = [{ name: 'get_weather', description: null, parameters: given }];
  const shown = compiled({ source: `{{ tools | tojson if tools }}${source}`, controlTokens: [], family: '', name: '' });
  assert.match(renderChat(shown, chatPrompt({ messages: [user('x')], tools: asked })).text, /int a;str b;x$/);
});

test('a value that its tag says to be no text is null where null is written, and text where text is', () => {
  const example = examples.find(({ name }) => name === 'attributes that tell texts from other values');
  assert.ok(example);
  const template = compiled(example);
  const written = writtenCalls(template, [{ name: 'get_weather', arguments: { city: 'null', days: null } }]);
  assert.deepEqual(parsed(template, [written]).calls, [
    { name: 'get_weather', arguments: { city: 'null', days: null } },
  ]);
});
