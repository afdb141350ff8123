import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '#kernel';
import type { ChatMessage, ToolDefinition } from '../port.ts';
import { chatPrompt, qwen3Template, template, user } from './prompt.fixture.ts';
import { renderChat, renderTurn } from './template.ts';

const call = (text: string): ChatMessage => ({
  role: 'assistant',
  content: '',
  reasoning: null,
  toolCalls: [{ id: '1', name: 'order', arguments: text }],
});

/** Forms in which templates write calls: as JSON, and member by member. */
const forms = [
  qwen3Template(),
  `{%- for m in messages %}{% for c in m.tool_calls or [] %}<function={{ c.function.name }}>{% for k, v in c.function.arguments.items() %}
<parameter={{ k }}>
{{ v if v is string else v | tojson }}
</parameter>{% endfor %}{% endfor %}{% endfor %}`,
  '{%- for m in messages %}{% for c in m.tool_calls or [] %}{% for k, v in c.function.arguments | items %}{{ k }}={{ v }};{% endfor %}{% endfor %}{% endfor %}',
];

test('numbers of a call in the history keep their digits in the prompt, in every form', () => {
  for (const source of forms) {
    for (const number of [
      '1234567890123456789',
      '0.1000000000000000055',
      '1e400',
      '1.0',
      '1E5',
      '-0',
      '-12345678901234567890.5',
    ]) {
      const { text } = renderChat(template(source), chatPrompt({ messages: [user('x'), call(`{"id": ${number}}`)] }));
      assert.ok(text.includes(number), `${number} in ${text}`);
    }
  }
  const deep = call('{"a": [{"b": [12345678901234567890]}], "c": {"rawJSON": "1"}}');
  const { text } = renderChat(template(qwen3Template()), chatPrompt({ messages: [user('x'), deep] }));
  assert.match(text, /\{"a": \[\{"b": \[12345678901234567890\]\}\], "c": \{"rawJSON": "1"\}\}/);
});

test('keys that look like numbers keep their order in the prompt, in calls and in tools', () => {
  const args = '{"reason": "a", "10": 1, "2": {"b": 1, "1": 2}}';
  const order = /reason[\s\S]*10[\s\S]*2[\s\S]*b[\s\S]*1/;
  for (const source of forms)
    assert.match(renderChat(template(source), chatPrompt({ messages: [user('x'), call(args)] })).text, order);
  const parameters = parseExactJson(
    '{"type": "object", "properties": {"reason": {"const": 12345678901234567890}, "10": {"minimum": 1.0}, "2": {}}}',
  );
  // as: a JSON object.
  const tools = [{ name: 'order', description: null, parameters }] as ToolDefinition[];
  const { text } = renderChat(template(qwen3Template()), chatPrompt({ tools }));
  const said = '{"reason": {"const": 12345678901234567890}, "10": {"minimum": 1.0}, "2": {}}';
  assert.ok(text.includes(said), text);
});

test('a template may count and compare with such numbers, which are false where they are nought', () => {
  const render = (expression: string, number: string) =>
    renderChat(
      template(`{% set v = messages[1].tool_calls[0].function.arguments.value %}{{ ${expression} }}`),
      chatPrompt({ messages: [user('x'), call(`{"value": ${number}}`)] }),
    ).text;
  for (const [expression, number, expected] of [
    ['v > 5', '12345678901234567890', 'True'],
    ['v == 2', '2.0', 'True'],
    ['v is number', '1e400', 'True'],
    ['v is string', '1e400', 'False'],
    ['v is integer', '12345678901234567890', 'True'],
    ['v is integer', '1.0', 'False'],
    ['v + 1', '1.0', '2.0'],
    ["v ~ ''", '2.0', '2.0'],
    ['v | string', '1.0', '1.0'],
    ["'some' if v else 'none'", '1.0', 'some'],
    ["'some' if v else 'none'", '0.0', 'none'],
    ["'some' if v else 'none'", '-0', 'none'],
    ["'some' if v else 'none'", '0e5', 'none'],
  ] as const)
    assert.equal(render(expression, number), expected, `${expression} of ${number}`);
});

test('values are written into text as Python writes them', () => {
  const args = `{"vv": [null, true, 1.50, "it's", "a \\"b\\" 'c'", "\\n\\u0001é🙂\\u2028", {"k": []}], "zz": null, "bb": false, "qq": "x"}`;
  const list = `[None, True, 1.50, "it's", 'a "b" \\'c\\'', '\\n\\x01é🙂\\u2028', {'k': []}]`;
  for (const [output, expected] of [
    ['{{ a.vv }}', list],
    ["{{ 'v=' ~ a.vv ~ a.zz }}", `v=${list}None`],
    ["{{ 'v=' ~ a.missing }}", 'v='],
    ['{{ a.vv | string }}', list],
    ["{{ a.zz | upper }}{{ a.bb | replace('F', 'f') }}{{ a.missing | trim }}", 'NONEfalse'],
    ['{% set t %}{{ a.zz }}{% endset %}{{ t }}', 'None'],
    ['{% macro put(x) %}{{ x }}{% endmacro %}{{ put(a.bb) }}', 'False'],
    ['{% if a.bb %}{% else %}{{ a.bb and a.qq }}{% endif %}', 'False'],
    ["{{ a.missing }}{{ 'x' if a.bb }}{{ a.qq }}", 'x'],
    ['{{ a.vv[:2] | tojson }}', '[null, true]'],
    ["{{ ('a', 1) }}", "('a', 1)"],
  ] as const) {
    const source = `{% set a = messages[1].tool_calls[0].function.arguments %}${output}`;
    const { text } = renderChat(template(source), chatPrompt({ messages: [user('x'), call(args)] }));
    assert.equal(text, expected, output);
  }
});

test('a turn to learn has the digits and the order of a call, too', () => {
  const args = '{"reason": 1.0, "10": 12345678901234567890, "2": 1e400}';
  const turn = { messages: [user('x'), call(args)], tools: [], thinking: false };
  assert.ok(renderTurn(template(qwen3Template()), turn).behind.text.includes(args));
});

test('templates find the least and the greatest item of a list, and the sum of numbers', () => {
  const values = {
    '[2, 1, 3]|min': '1',
    '[2, 1.5]|max': '2',
    '["b", "a"]|max': 'b',
    '[0, 1, 2]|sum + 1': '4',
  };
  for (const [expression, expected] of Object.entries(values))
    assert.equal(renderChat(template(`{{ ${expression} }}`), chatPrompt({ messages: [user('x')] })).text, expected);
});
