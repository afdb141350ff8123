import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Fault } from '#kernel';
import { cpuMsOf } from '#test/cpu-time.ts';
import { fc } from '#test/properties.ts';
import type { ChatMessage, ToolDefinition } from '../port.ts';
import { assistant, chatPrompt, controlTokens, qwen3Template, system, template, user } from './prompt.fixture.ts';
import { renderChat } from './template.ts';

type Golden = {
  name: string;
  messages: ChatMessage[];
  tools: ToolDefinition[];
  reasoningEffort: null | 'none' | 'high';
  text: string;
};

function goldenRenderings(): Golden[] {
  const file = new URL('./golden/qwen3-renderings.json', import.meta.url);
  // Our own file, written by Python's Jinja2 from the same template.
  return JSON.parse(readFileSync(file, 'utf8')) as Golden[];
}

const strict = `{%- if messages[0].role == 'system' -%}[S]{{ messages[0].content }}{%- set loop_messages = messages[1:] -%}
{%- else -%}{%- set loop_messages = messages -%}{%- endif -%}
{%- for m in loop_messages -%}
{%- if m.role == 'system' or (m.role == 'user') != (loop.index0 % 2 == 0) -%}{{ raise_exception('Roles must alternate') }}{%- endif -%}
[{{ m.role }}]{{ m.content }}
{%- endfor -%}`;

test('renders every golden conversation byte for byte as Python Jinja2 does', () => {
  const qwen3 = template(qwen3Template());
  for (const { name, text, ...prompt } of goldenRenderings()) {
    assert.equal(renderChat(qwen3, chatPrompt(prompt)).text, text, name);
  }
});

test('control tokens inside caller text are text, those of the template are special, and nothing is lost', () => {
  const qwen3 = template(qwen3Template());
  const shielded = template(qwen3Template());
  const plain = template(qwen3Template(), []);
  const piece = fc.oneof(
    fc.constantFrom(...controlTokens, '<|im_', 'start|>', '<', '>', '|', 'im_end', '<|', '\uE000', '\uE001', '\n', ' '),
    fc.constantFrom('<think>', '</think>', '<tool_call>', '<tool_response>', '</tool_response>'),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  );
  const content = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
  const message: fc.Arbitrary<ChatMessage> = fc.oneof(
    content.map(user),
    content.map(system),
    content.map((text): ChatMessage => ({ role: 'tool', content: text, toolCallId: '1' })),
    fc.tuple(content, fc.option(content), content).map(
      ([text, reasoning, value]): ChatMessage => ({
        role: 'assistant',
        content: text,
        reasoning,
        toolCalls: value === '' ? [] : [{ id: '1', name: 'f', arguments: JSON.stringify({ [value]: value }) }],
      }),
    ),
  );
  const tools = content.map((text): ToolDefinition[] => [
    { name: 'f', description: text, parameters: { type: 'object', properties: { [text]: { type: 'string' } } } },
  ]);
  const property = fc.property(fc.array(message, { minLength: 1, maxLength: 6 }), tools, (messages, given) => {
    const prompt = chatPrompt({ messages, tools: given });
    const rendered = renderChat(shielded, prompt);
    assert.equal(rendered.segments.map((segment) => segment.text).join(''), rendered.text);
    assert.equal(rendered.text, renderChat(plain, prompt).text);
    const special = rendered.segments.filter((segment) => segment.special).map((segment) => segment.text);
    assert.ok(special.every((text) => controlTokens.includes(text)));
    // The same conversation with harmless words has the same control tokens in the same order.
    const harmless = messages.map((one) => ({ ...one, content: /\S/.test(one.content) ? 'word' : one.content }));
    const roles = renderChat(qwen3, chatPrompt({ messages: harmless, tools: given }));
    if (messages.every((one) => one.role !== 'assistant' && !one.content.includes('tool_response'))) {
      assert.deepEqual(
        special,
        roles.segments.filter((one) => one.special).map((one) => one.text),
      );
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test('a control token that template text and caller text would make together is not made', () => {
  const glued = '{%- for m in messages -%}<{{ m.content }}>{{ m.content }}|im_start|>{%- endfor -%}<|im_end|>';
  for (const content of ['|im_start|', '|im_start', 'im_start', '<', '|im_end|', ' |im_start|', '<|im_', 's']) {
    const { segments, text } = renderChat(
      template(glued, [...controlTokens, '<s>']),
      chatPrompt({ messages: [user(content)] }),
    );
    assert.equal(text, `<${content}>${content}|im_start|><|im_end|>`);
    assert.deepEqual(
      segments.filter((segment) => segment.special),
      [{ text: '<|im_end|>', special: true }],
      content,
    );
  }
});

test('roles and types that are part of control tokens are what the template compares and writes', () => {
  const source = `{%- for t in tools -%}{%- if t.type == 'function' and t.function.parameters.type == 'object' -%}<|function|>{{ t.function.name }}{%- endif -%}{%- endfor -%}
{%- for m in messages -%}{%- if m.role == 'user' -%}<|user|>{%- else -%}{{ '<|' + m.role + '|>' }}{%- endif -%}{{ m.content }}{%- endfor -%}`;
  const tokens = ['<|user|>', '<|system|>', '<|assistant|>', '<|tool|>', '<|function|>', '<|object|>'];
  const messages = [system('user'), user('<|user|>'), assistant('system')];
  const tools: ToolDefinition[] = [{ name: 'user', description: null, parameters: null }];
  const { segments } = renderChat(template(source, tokens), chatPrompt({ messages, tools }));
  assert.deepEqual(
    segments.map(({ text, special }) => (special ? [text] : text)),
    [['<|function|>'], 'user', ['<|system|>'], 'user', ['<|user|>'], '<|user|>', ['<|assistant|>'], 'system'],
  );
});

test('tells whether the prompt ends inside reasoning or with reasoning turned off', () => {
  const open = template("{%- for m in messages %}{{ m.content }}{%- endfor -%}{{ '<think>\n' }}");
  const facts = ({ startsInReasoning, thinkingDisabled }: ReturnType<typeof renderChat>) => [
    startsInReasoning,
    thinkingDisabled,
  ];
  assert.deepEqual(facts(renderChat(open, chatPrompt({}))), [true, false]);
  const qwen3 = template(qwen3Template());
  assert.deepEqual(facts(renderChat(qwen3, chatPrompt({}))), [false, false]);
  assert.deepEqual(facts(renderChat(qwen3, chatPrompt({ reasoningEffort: 'none' }))), [false, true]);
  assert.deepEqual(facts(renderChat(qwen3, chatPrompt({ reasoningEffort: 'low' }))), [false, false]);
});

test('tells whether the template knows thinking; of one that does not, the last words of a caller open no reasoning', () => {
  const content = '{%- for m in messages %}{{ m.content }}{%- endfor -%}';
  const facts = (source: string, said: string) => {
    const messages = [{ role: 'user', content: said }] as const;
    const compiled = template(source);
    const { startsInReasoning, thinkingDisabled } = renderChat(compiled, chatPrompt({ messages: [...messages] }));
    const reasons = compiled.format.reasoning !== null;
    return [reasons, startsInReasoning, thinkingDisabled];
  };
  for (const said of ['Hi', 'a <think>', '<think></think>'])
    assert.deepEqual(facts(content, said), [false, false, false], said);
  for (const known of [
    "{%- if '</think>' in messages[0].content -%}{%- endif -%}",
    '{%- if enable_thinking -%}{%- endif -%}',
  ])
    assert.deepEqual(facts(known + content, 'Hi'), [true, false, false]);
});

test('enable_thinking is given only where the caller says something about reasoning', () => {
  const probe = template('{{ enable_thinking is defined }} {{ enable_thinking }}');
  const text = (reasoningEffort: 'none' | 'low' | 'high' | null) =>
    renderChat(probe, chatPrompt({ reasoningEffort })).text;
  assert.equal(text('none'), 'True False');
  assert.equal(text('low'), 'True True');
  assert.equal(text('high'), 'True True');
  assert.match(text(null), /^False /);
});

test('strip, lstrip and rstrip take away the characters of their argument, as in Python', () => {
  const render = (expression: string, content: string) =>
    renderChat(template(`[{{ messages[0].content.${expression} }}]`), chatPrompt({ messages: [user(content)] })).text;
  const cases: [string, string, string][] = [
    ["lstrip('\\n')", '\n\n    return x\n', '[    return x\n]'],
    ["rstrip('\\n')", '\n x \n\n', '[\n x ]'],
    ["strip('\\n')", '\n x \n', '[ x ]'],
    ["strip('ab')", 'abba c ab', '[ c ]'],
    ["lstrip('</think>')", '</think>text', '[ext]'],
    ['strip(none)', ' x ', '[x]'],
    ['strip()', ' \n x \n', '[x]'],
    ["strip('\\n').split(' ')[-1].lstrip('-')", '\na --b\n', '[b]'],
    ["strip('x')", 'xxx', '[]'],
    ["rstrip('🙂')", 'a🙂🙂', '[a]'],
  ];
  for (const [expression, content, expected] of cases) assert.equal(render(expression, content), expected, expression);
});

test('tool choice none keeps the tools out of the prompt', () => {
  const tools = [{ name: 'secret_tool', description: null, parameters: null }];
  const qwen3 = template(qwen3Template());
  assert.match(renderChat(qwen3, chatPrompt({ tools })).text, /secret_tool/);
  assert.doesNotMatch(renderChat(qwen3, chatPrompt({ tools, toolChoice: { mode: 'none' } })).text, /secret_tool/);
});

test('odd conversations render with every template, with nothing left out', () => {
  const call: ChatMessage = {
    role: 'assistant',
    content: 'calling',
    reasoning: 'because',
    toolCalls: [{ id: '1', name: 'f', arguments: '{"a": 1}' }],
  };
  const result: ChatMessage = { role: 'tool', content: 'the result', toolCallId: 'unknown' };
  const conversations = [
    [user('one'), user('two')],
    [user('one'), system('two'), user('three')],
    [system('one'), system('two')],
    [assistant('one'), user('two')],
    [user('one'), assistant('two')],
    [user('one'), assistant('two'), assistant('three')],
    [result],
    [user('one'), call, result, result, user('two')],
    [user('')],
  ];
  for (const source of [qwen3Template(), strict]) {
    for (const messages of conversations) {
      const { text } = renderChat(template(source), chatPrompt({ messages }));
      for (const message of messages)
        assert.ok(text.includes(message.content), `${JSON.stringify(messages)} in ${text}`);
    }
  }
  const merged = renderChat(template(strict), chatPrompt({ messages: [user('a'), system('b'), user('c')] }));
  assert.equal(merged.text, '[S]b[user]a\n\nc');
});

test('a forced call needs no tools in the chat template: the prompt tells which functions there are', () => {
  const tools = [{ name: 'get_weather', description: 'Weather of a city', parameters: null }];
  const withoutTools = [template(strict), template('{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}')];
  for (const each of withoutTools) {
    for (const toolChoice of [{ mode: 'required' }, { mode: 'named', name: 'get_weather' }] as const) {
      const { text } = renderChat(each, chatPrompt({ messages: [user('Riga?')], tools, toolChoice }));
      assert.match(text, /"name":"get_weather","description":"Weather of a city"[\s\S]*\[user\]Riga\?$/);
    }
    assert.throws(
      () => renderChat(each, chatPrompt({ tools })),
      (error) => error instanceof Fault && error.options.param === 'tools' && /tool_choice/.test(error.message),
    );
  }
});

test('an error of a template is a fault of the messages and shows what the template says', () => {
  const refuses = (source: string, message: RegExp) =>
    assert.throws(
      () => renderChat(template(source), chatPrompt({})),
      (error) => {
        assert.ok(error instanceof Fault);
        assert.equal(error.fault, 'invalid_request');
        assert.equal(error.options.param, 'messages');
        assert.match(error.message, message);
        return true;
      },
    );
  refuses("{{ raise_exception('Only cats may chat.') }}", /Only cats may chat\./);
  refuses('{{ messages[0].content() }}', /cannot render/);
  refuses('{% for a in range(10000000000) %}x{% endfor %}', /cannot render/);
  refuses(`{% for a in range(1100) %}${'x'.repeat(1000)}{% endfor %}`, /maximum context length/);
  assert.throws(() => template('{% if %}'), Fault);
  assert.throws(
    () =>
      renderChat(
        template('{{ messages[0].content }}'),
        chatPrompt({ tools: [{ name: 'f', description: null, parameters: null }] }),
      ),
    (error) => error instanceof Fault && error.options.param === 'tools',
  );
});

test('a large conversation renders in linear time, a too large one is refused before rendering', () => {
  const qwen3 = template(qwen3Template());
  const messages = Array.from({ length: 20_000 }, (_, index) =>
    index % 2 === 0 ? user('<|im_start|> hi') : assistant('so'),
  );
  assert.ok(cpuMsOf(() => renderChat(qwen3, chatPrompt({ messages }))) < 5_000);
  assert.throws(
    () => renderChat(qwen3, chatPrompt({ messages: [user('x'.repeat(3_000_000))] })),
    /maximum context length/,
  );
});

test('templates get the date in English and UTC, and their own begin and end tokens', () => {
  const dated = template("{{ bos_token }}{{ strftime_now('%d %B %Y, %A %H:%M %%') }}{{ eos_token }}");
  assert.equal(renderChat(dated, chatPrompt({})).text, '<s>03 February 2026, Tuesday 04:05 %<|im_end|>');
});

test('an effort that the model has no control for is refused by its name, unless it is a wish', () => {
  const plain = template('{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}');
  for (const reasoningEffort of ['low', 'high'] as const) {
    assert.throws(
      () => renderChat(plain, chatPrompt({ reasoningEffort })),
      (error) =>
        error instanceof Fault && error.options.param === 'reasoning_effort' && /does not reason/.test(error.message),
    );
    assert.ok(renderChat(plain, chatPrompt({ reasoningEffort, effortIsHint: true })).text !== '');
  }
  assert.ok(renderChat(plain, chatPrompt({ reasoningEffort: 'none' })).text !== '');
});

test('a template that wants reasoning in every answer gets it empty where a history has none', () => {
  const wanting = template(`{%- for m in messages -%}[{{ m.role }}]
{%- if m.role == 'assistant' -%}{%- if m.reasoning_content is not defined -%}{{ raise_exception('no reasoning') }}{%- endif -%}
<think>{{ m.reasoning_content }}</think>{%- endif -%}{{ m.content }}{%- endfor -%}`);
  const { text } = renderChat(wanting, chatPrompt({ messages: [user('a'), assistant('b'), user('c')] }));
  assert.equal(text, '[user]a[assistant]<think></think>b[user]c');
});
