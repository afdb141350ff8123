import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { countableOf } from '#datasets';
import type { ChatMessage } from '#engine';
import { parseExactJson } from '#kernel';
import { isMapping, readMapping } from '../../src/datasets/imports/mapping/mapping.ts';
import { validateRow } from '../../src/datasets/imports/profile/validate-row.ts';
import { readJsonRow } from '../../src/datasets/imports/reading/read-json-row.ts';
import { OutputParser } from '../../src/engine/text/output-parser.ts';
import { type ChatTemplate, compileChatTemplate, renderChat } from '../../src/engine/text/template.ts';
import { learntTurns, NotLearnable, renderLearnt } from '../../src/engine/tokens/learnable-turns.ts';
import type { CountableConversation } from '../../src/engine/tokens/vocabulary-protocol.ts';
import { defaultBounds, parseJsonBody } from '../../src/http/json-guard.ts';
import { readChatRequest } from '../../src/inference/protocols/chat-completions/chat-request.ts';

/*
 * One conversation, once as the line of a file that is imported and trained on, and once as requests that are served. The texts
 * are JSON as callers write it, so that nothing is lost before either side has read it.
 */
const schema =
  '{"type":"object","properties":{"zone":{"type":"string","description":"<b> & \\"é\\""},"city":{"type":"string"},"10":{"type":"integer","enum":[12345678901234567890]},' +
  '"2":{"type":"number","minimum":1.0,"maximum":1e3},"of":{"type":"array","items":{"type":"object","properties":{"b":{"type":"number"},"a":{"type":["string","null"]}}}}},' +
  '"required":["zone","city"],"additionalProperties":false}';
const tools =
  `[{"type":"function","function":{"name":"book","description":"Book a trip","parameters":${schema}}},` +
  '{"type":"function","function":{"name":"now"}}]';
const callOf = (id: string, name: string, args: string) =>
  `{"id":"${id}","type":"function","function":{"name":"${name}","arguments":${JSON.stringify(args)}}}`;
const booking = '{"zone":"n","city":"Riga \\n 1","10":12345678901234567890,"2":1.50,"of":[{"b":-0.5,"a":null}]}';
const talk = [
  '{"role":"system","content":"Be brief."}',
  '{"role":"user","content":[{"type":"text","text":"Book"},{"type":"text","text":"Riga"}]}',
  `{"role":"assistant","content":null,"tool_calls":[${callOf('abcdefgh1', 'book', booking)}]}`,
  '{"role":"tool","tool_call_id":"abcdefgh1","content":"{\\"ok\\": true}"}',
  '{"role":"assistant","content":"Done.\\n"}',
  '{"role":"user","content":"  And the time?"}',
  `{"role":"assistant","content":"I look.","tool_calls":[${callOf('abcdefgh2', 'now', '{}')}]}`,
  '{"role":"tool","tool_call_id":"abcdefgh2","content":"noon"}',
  '{"role":"assistant","content":"Noon."}',
];

/** As a line of a file comes to what is trained, whose conversations reach the encoder as JSON text. */
function learntOf(messages: readonly string[]): CountableConversation {
  const row = readJsonRow(Buffer.from(`{"messages":[${messages}],"tools":${tools}}`), { line: 1, byteOffset: 0 });
  const mapping = readMapping({ messages: 'messages', tools: 'tools' }, { kind: 'text', columns: null });
  assert.ok(isMapping(mapping));
  const { example, issues } = validateRow(row, 'text', mapping);
  assert.deepEqual(issues, []);
  // as: what the import has written.
  const stored = parseExactJson(example?.json ?? '') as Parameters<typeof countableOf>[0];
  const countable = parseExactJson(JSON.stringify(countableOf(stored))) as CountableConversation;
  assert.equal(countable.type, 'conversation');
  return countable;
}

/** As the route reads bodies. */
const bounds = { ...defaultBounds, exact: ['tools'] };
const target = { baseModelId: 'fixture', adapter: null };

function servedPrompt(template: ChatTemplate, messages: readonly string[], reasoning: string): string {
  const body = `{"model":"m","messages":[${messages}],"tools":${tools},"reasoning_effort":"${reasoning}"}`;
  return renderChat(template, { ...readChatRequest(parseJsonBody(Buffer.from(body), bounds)).prompt, target }).text;
}

/** What a model would have written, as the server reads it. */
function readBack(template: ChatTemplate, text: string, offered: CountableConversation['tools']) {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: offered,
    format: template.format,
    parallelToolCalls: true,
    stop: [],
  });
  const got = { content: '', calls: [] as unknown[] };
  for (const delta of [...parser.push(text, 1), ...parser.end('eog')])
    if (delta.type === 'tool_call') got.calls.push([delta.name, delta.arguments]);
    else if (delta.type === 'content') got.content += delta.text;
  return got;
}

const generation = '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
const asJson =
  "{% for call in message.tool_calls or [] %}<tool_call>\n{{ {'name': call.function.name, 'arguments': call.function.arguments} | tojson }}\n</tool_call>{% endfor %}";
const turns = (calls: string) =>
  `{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}${calls}<|im_end|>\n{% endfor %}`;

/** `format`: null where calls are read as text. `unlearnt`: a turn that the template cannot write behind its own prompt. */
type Form = { source: string; format: 'json' | 'xml' | null; unlearnt?: number };
const forms: Record<string, Form> = {
  'the template of the shipped model': {
    source: readFileSync(new URL('../../models/tiny-chat/hf/chat_template.jinja', import.meta.url), 'utf8'),
    format: 'json',
  },
  'tools as a list of JSON in front, calls as JSON': {
    source: `{% if tools %}<tools>{{ tools | tojson(indent=4) }}</tools>{% endif %}${turns(asJson)}${generation}`,
    format: 'json',
  },
  'tools told property by property, calls with a tag for each argument': {
    source:
      '{% for tool in tools %}<function><name>{{ tool.function.name }}</name>' +
      '{% for name, property in tool.function.parameters.properties | items %}<parameter><name>{{ name }}</name>' +
      '{% for key in property %}{{ key }}: {{ property[key] | tojson if property[key] is not string else property[key] }}\n{% endfor %}</parameter>{% endfor %}' +
      '</function>{% endfor %}' +
      turns(
        '{% for call in message.tool_calls or [] %}<tool_call>\n<function={{ call.function.name }}>\n' +
          '{% for name, value in call.function.arguments | items %}<parameter={{ name }}>\n' +
          '{{ value if value is string else value | tojson }}\n</parameter>\n{% endfor %}</function>\n</tool_call>{% endfor %}',
      ) +
      generation,
    format: 'xml',
  },
  'tools in front of the first question, which must be followed by answers in turn': {
    source:
      "{% set rest = messages[1:] if messages[0].role == 'system' else messages %}" +
      '{% for message in rest %}' +
      "{% if message.role == 'user' %}{% if loop.first %}[TOOLS]{{ tools | tojson }}[/TOOLS]{% endif %}[INST]{{ message.content }}[/INST]" +
      "{% elif message.role == 'tool' %}[RESULT]{{ message.content }}, {{ message.tool_call_id }}[/RESULT]" +
      "{% elif message.role == 'assistant' and message.tool_calls %}" +
      "{% if message.content %}{{ raise_exception('Either a text or calls.') }}{% endif %}" +
      '[CALLS]{% for call in message.tool_calls %}{{ call.function.name }}{{ call.function.arguments | tojson }}{{ call.id }}{% endfor %}<|im_end|>' +
      '{% else %}{{ message.content }}<|im_end|>{% endif %}{% endfor %}',
    format: null,
    // It has a text and a call.
    unlearnt: 6,
  },
  'tools and turns of people and the model only, all else as text': {
    source:
      "{% if tools %}{{ tools | tojson }}{% endif %}{% for message in messages %}{% if (message.role == 'user') != (loop.index0 % 2 == 0) %}" +
      "{{ raise_exception('Roles must alternate.') }}{% endif %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}" +
      generation,
    format: null,
  },
};

for (const [name, { source, format, unlearnt }] of Object.entries(forms))
  test(`a conversation with tools is trained behind the prompt that it is served with: ${name}`, () => {
    const template = compileChatTemplate({
      source,
      controlTokens: ['<|im_start|>', '<|im_end|>'],
      bosToken: '<s>',
      eosToken: '<|im_end|>',
      now: () => new Date(0),
    });
    if (format !== null) assert.equal(writesXml(template), format === 'xml');
    const learnt = learntOf(talk);
    const all = learntTurns(learnt);
    assert.deepEqual(
      all.map(({ at }) => at),
      [2, 4, 6, 8],
    );
    for (const turn of all) {
      if (turn.at === unlearnt) {
        assert.throws(() => renderLearnt(template, turn), NotLearnable);
        continue;
      }
      const { prompt, written } = renderLearnt(template, turn);
      assert.equal(prompt.map(({ text }) => text).join(''), servedPrompt(template, talk.slice(0, turn.at), 'none'));
      if (format === null) continue;
      const [answer = ''] = written
        .map(({ text }) => text)
        .join('')
        .split('<|im_end|>');
      const message = learnt.messages[turn.at] as Extract<ChatMessage, { role: 'assistant' }>;
      const read = readBack(template, answer, learnt.tools);
      assert.equal(read.content.trim(), message.content.trim());
      assert.deepEqual(
        read.calls,
        message.toolCalls.map((call) => [call.name, call.arguments]),
      );
    }
  });

test('an answer with reasoning is trained behind the prompt of a request for reasoning', () => {
  const source = forms['the template of the shipped model']?.source ?? '';
  const template = compileChatTemplate({
    source,
    controlTokens: ['<|im_start|>', '<|im_end|>'],
    bosToken: '',
    eosToken: '<|im_end|>',
    now: () => new Date(0),
  });
  const thinking = talk.map((message) =>
    message.replace('"role":"assistant",', '"role":"assistant","reasoning_content":"Think.",'),
  );
  for (const turn of learntTurns(learntOf(thinking))) {
    const { prompt } = renderLearnt(template, turn);
    assert.equal(prompt.map(({ text }) => text).join(''), servedPrompt(template, thinking.slice(0, turn.at), 'high'));
  }
});

function writesXml({ format }: ChatTemplate): boolean {
  return format.calls.write([{ name: 'f', arguments: {} }]).includes('<function=');
}
