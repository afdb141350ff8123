import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fc } from '#test/properties.ts';
import { openModel } from '../llama/binding.ts';
import { createVocabulary } from '../llama/vocabulary.ts';
import type { ChatMessage, ToolCall, ToolDefinition } from '../port.ts';
import { formats } from '../text/formats/formats.fixture.ts';
import { OutputParser } from '../text/output-parser.ts';
import { assistant, chatPrompt, system, user } from '../text/prompt.fixture.ts';
import { compileChatTemplate, renderChat } from '../text/template.ts';
import { createModelEncoder } from './model-encoder.ts';
import type { Countable, EncodeOptions, Sequence } from './vocabulary-protocol.ts';

const open = (name: string) =>
  openModel({
    path: fileURLToPath(new URL(`../../../models/${name}`, import.meta.url)),
    gpu: false,
    maxThreads: 1,
    vocabOnly: true,
  });
const chat = await open('tiny-chat/tiny-chat.gguf');
const embed = await open('tiny-embed/tiny-embed.gguf');
after(async () => {
  await chat.dispose();
  await embed.dispose();
});

const vocabulary = createVocabulary(chat);
const { controlTexts: controlTokens, bosText: bosToken, eosText: eosToken } = vocabulary;
const compile = (source: string) =>
  compileChatTemplate({ source, controlTokens, bosToken, eosToken, now: () => new Date(0) });
const template = compile(chat.facts.chatTemplate ?? '');
const options: EncodeOptions = { maxTokens: 4096, nowMs: 0 };

const weather: ToolDefinition = {
  name: 'get_weather',
  description: 'Weather now',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
};
const call = (id: string, city: string): ToolCall => ({
  id,
  name: 'get_weather',
  arguments: JSON.stringify({ city }),
});
const calling = (toolCalls: ToolCall[], change = {}): ChatMessage => ({
  role: 'assistant',
  content: '',
  reasoning: null,
  toolCalls,
  ...change,
});
const thought = (reasoning: string, content: string): ChatMessage => ({
  role: 'assistant',
  content,
  reasoning,
  toolCalls: [],
});
const result = (toolCallId: string, content: string): ChatMessage => ({ role: 'tool', content, toolCallId });

function encode(
  messages: ChatMessage[],
  { tools = [] as ToolDefinition[], model = chat, change = {} as Partial<EncodeOptions> } = {},
) {
  const item: Countable = { type: 'conversation', messages, tools };
  const [encoded] = createModelEncoder(model).encode([item], { ...options, ...change });
  assert.ok(encoded && encoded.type !== 'inputs');
  return encoded;
}

/** A sequence in words, control tokens by their names. */
function shownParts({ ids, spans }: Sequence) {
  const bytesOf = (token: number) => {
    const bytes = vocabulary.bytesOf(token);
    return bytes.length > 0 ? bytes : Buffer.from(chat.addon.getTokenString(token) ?? '');
  };
  const textOf = (start: number, end: number) => Buffer.concat([...ids.subarray(start, end)].map(bytesOf)).toString();
  const parts: { text: string; trained: boolean }[] = [];
  let at = 0;
  for (const [start, end] of spans) {
    parts.push({ text: textOf(at, start), trained: false }, { text: textOf(start, end), trained: true });
    at = end;
  }
  return parts;
}

/** Each sequence in words, with what is trained in brackets. */
function shown(messages: ChatMessage[], tools: ToolDefinition[] = []): string[] {
  const encoded = encode(messages, { tools });
  assert.equal(encoded.type, 'conversation', JSON.stringify(encoded));
  return encoded.sequences.map((sequence) =>
    shownParts(sequence)
      .map(({ text, trained }) => (trained ? `[[${text}]]` : text))
      .join(''),
  );
}

test('of a chat the answers are trained with their ends, each behind the prompt that it is asked with', () => {
  assert.deepEqual(shown([system('Be brief.'), user('Hi'), assistant('Hello!'), user('Bye'), assistant('See you.')]), [
    '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n' +
      '<|im_start|>assistant\n<think>\n\n</think>\n\n[[Hello!<|im_end|>]]',
    '<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHello!<|im_end|>\n' +
      '<|im_start|>user\nBye<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n[[See you.<|im_end|>]]',
  ]);
});

test('calls of tools are trained, also several at once, and their results are not', () => {
  const [one = '', two = ''] = shown(
    [
      user('Rome or Oslo?'),
      calling([call('a', 'Rome'), call('b', 'Oslo')]),
      result('a', 'sun'),
      result('b', 'snow'),
      assistant('Rome.'),
    ],
    [weather],
  );
  assert.ok(
    one.endsWith(
      '<|im_start|>user\nRome or Oslo?<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n' +
        '[[<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>]]',
    ),
    one,
  );
  assert.ok(
    two.endsWith(
      '<|im_start|>user\n<tool_response>\nsun\n</tool_response>\n<tool_response>\nsnow\n</tool_response><|im_end|>\n' +
        '<|im_start|>assistant\n<think>\n\n</think>\n\n[[Rome.<|im_end|>]]',
    ),
    two,
  );
  assert.match(one, /^<\|im_start\|>system\n# Tools[\s\S]*"name": "get_weather"/);
});

test('reasoning is trained where it is, and a history has it as the model will see it', () => {
  assert.deepEqual(shown([user('2+2?'), thought('Add.', '4'), user('And 3+3?'), thought('Again.', '6')]), [
    '<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n[[<think>\nAdd.\n</think>\n\n4<|im_end|>]]',
    '<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n4<|im_end|>\n<|im_start|>user\nAnd 3+3?<|im_end|>\n' +
      '<|im_start|>assistant\n[[<think>\nAgain.\n</think>\n\n6<|im_end|>]]',
  ]);
  // Written into the answer, as models do.
  assert.deepEqual(shown([user('2+2?'), assistant('<think>\nAdd.\n</think>\n\n4')]), [
    '<|im_start|>user\n2+2?<|im_end|>\n<|im_start|>assistant\n[[<think>\nAdd.\n</think>\n\n4<|im_end|>]]',
  ]);
});

test('answers share a sequence where the later prompt begins with the earlier turn', () => {
  const steps = [
    user('Rome?'),
    calling([call('a', 'Rome')], { reasoning: 'Look.' }),
    result('a', 'sun'),
    thought('Say it.', 'Sunny.'),
  ];
  const [only = '', ...others] = shown(steps, [weather]);
  assert.deepEqual(others, []);
  assert.match(
    only,
    /\[\[<think>\nLook\.\n<\/think>\n\n<tool_call>[^[]*<\|im_end\|>\]\]\n<\|im_start\|>user\n<tool_response>\nsun/,
  );
  assert.ok(only.endsWith('[[<think>\nSay it.\n</think>\n\nSunny.<|im_end|>]]'), only);
});

test('control tokens in what people write stay text, and an answer ends where the template ends it', () => {
  const [only = ''] = shown([user('<|im_end|>\n<|im_start|>system'), assistant('a <|im_end|> b')]);
  assert.match(only, /\[\[a <\|im_end\|> b<\|im_end\|>\]\]$/);
  const encoded = encode([user('<|im_end|>'), assistant('a <|im_end|> b')]);
  assert.ok(encoded.type === 'conversation');
  const end = vocabulary.find('<|im_end|>');
  assert.equal(encoded.sequences[0]?.ids.filter((token) => token === end).length, 2);
});

test('an answer that is only seen stands before what is learnt, and is not learnt itself', () => {
  const messages = [user('1+1?'), assistant('3'), user('No.'), assistant('2'), user('2+2?'), assistant('4')];
  const learntWith = (seenOnly: number[]) => {
    const item: Countable = { type: 'conversation', messages, tools: [], seenOnly };
    const [encoded] = createModelEncoder(chat).encode([item], options);
    assert.ok(encoded?.type === 'conversation');
    const parts = encoded.sequences.flatMap(shownParts);
    return parts.filter(({ trained }) => trained).map(({ text }) => text.replace('<|im_end|>', ''));
  };
  const all = learntWith([]);
  assert.equal(all.length, 3);
  assert.deepEqual(learntWith([1]), all.slice(1));
  assert.deepEqual(learntWith([1, 3]), all.slice(2));
  assert.deepEqual(learntWith([5]), all.slice(0, 2));
});

test('answers in a row are learnt as one, and what comes later sees them as they were written', () => {
  assert.deepEqual(shown([user('q'), assistant('one'), assistant('two'), assistant('three')]), [
    '<|im_start|>user\nq<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n[[one\n\ntwo\n\nthree<|im_end|>]]',
  ]);
  const inParts = [
    thought('Look.', 'Wait.'),
    calling([call('a', 'Rome')]),
    calling([call('b', 'Oslo')], { reasoning: 'And that.' }),
  ];
  const [only = '', ...others] = shown([user('Rome or Oslo?'), ...inParts], [weather]);
  assert.deepEqual(others, []);
  assert.ok(
    only.endsWith(
      '[[<think>\nLook.\n\nAnd that.\n</think>\n\nWait.\n' +
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Rome"}}\n</tool_call>\n' +
        '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call><|im_end|>]]',
    ),
    only,
  );

  const messages = [assistant('Hi'), assistant('Yes?'), user('q'), assistant('one'), assistant('two'), user('r')];
  const later = shown([...messages, assistant('three')]);
  assert.equal(later.length, 2);
  assert.deepEqual(
    later[1]?.split('[[')[0],
    renderChat(template, chatPrompt({ messages, reasoningEffort: 'none' })).text,
  );

  const item: Countable = { type: 'conversation', messages: [...messages.slice(2, 5)], tools: [], seenOnly: [2] };
  const [first] = createModelEncoder(chat).encode([item], options);
  assert.ok(first?.type === 'conversation');
  assert.match(first.sequences.flatMap(shownParts).at(-1)?.text ?? '', /^one</);
});

test('of a conversation the answers are learnt that can be, and it is told why others cannot', () => {
  const encoded = encode([system('Be brief.'), assistant('Hello!'), user('Hi'), assistant('Yes?')]);
  assert.ok(encoded.type === 'conversation');
  const trained = encoded.sequences.flatMap(shownParts).filter((part) => part.trained);
  assert.deepEqual(trained, [{ text: 'Yes?<|im_end|>', trained: true }]);
  assert.match(encoded.problem ?? '', /message 1 in a way that its own prompt does not lead to/);
  assert.equal(encode([system('Be brief.'), assistant('Hello!')]).type, 'refused');
});

test('what cannot be learnt is refused with the reason, and what is too long is left out whole and counted', () => {
  const reason = (encoded: ReturnType<typeof encode>) => (encoded.type === 'refused' ? encoded.reason : null);
  const over = (source: string) => ({ model: { ...chat, facts: { ...chat.facts, chatTemplate: source } } });
  const turns = '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}';
  const ask = '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
  const plain = over(`${turns}<|im_end|>\n{% endfor %}${ask}`);
  const hi = [user('Hi'), assistant('Hello')];
  assert.equal(reason(encode(hi, plain)), null);
  assert.match(reason(encode([assistant('Hello')], plain)) ?? '', /No message stands before an answer/);
  assert.match(reason(encode([user('2+2?'), thought('Add.', '4')], plain)) ?? '', /Message 1 has reasoning/);
  // What a template cannot show of a call is written into the message, as it is in serving.
  assert.equal(reason(encode([user('x'), calling([call('a', 'Rome')])], plain)), null);
  const silent = over(`{%- set tool_calls = 0 %}${turns}<|im_end|>\n{% endfor %}${ask}`);
  assert.match(reason(encode([user('x'), calling([call('a', 'Rome')])], silent)) ?? '', /calls get_weather/);
  assert.match(reason(encode(hi, { ...plain, tools: [weather] })) ?? '', /has no tools/);
  assert.match(reason(encode(hi, over(`${turns}\n{% endfor %}${ask}`))) ?? '', /does not end message 1/);
  assert.match(
    reason(encode(hi, over(`${turns}<|im_end|>{% endfor %}{% if add_generation_prompt %}Answer:{% endif %}`))) ?? '',
    /message 1 in a way that its own prompt does not lead to/,
  );
  assert.match(reason(encode(hi, over("{{ raise_exception('No chats today.') }}"))) ?? '', /No chats today/);

  const long = encode([user('Hi'), assistant('Hello'), user('More'), assistant('lamp '.repeat(200))], {
    change: { maxTokens: 60 },
  });
  assert.ok(long.type === 'conversation');
  assert.deepEqual([long.sequences.length, long.tooLong], [1, 1]);
  const none = encode([user('lamp '.repeat(500)), assistant('a'), user('b'), assistant('c')], {
    change: { maxTokens: 60 },
  });
  assert.deepEqual(none, { type: 'conversation', sequences: [], tooLong: 2 });
});

const word = fc.constantFrom(
  'lamp',
  'Red',
  '12',
  ' 3.5',
  "don't",
  '天气',
  '🙂',
  'e\u0301',
  '{"a": 1}',
  '\n\n',
  '<|im_end|>',
  '\t',
);
const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => `x${words.join(' ')}x`);
const turn = fc.record({
  asked: text,
  reasoning: fc.option(text),
  content: text,
  calls: fc.array(fc.record({ city: text }), { maxLength: 2 }),
});

test('what is trained is what the model would have to write, behind the prompt that it would get', () => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), (turns) => {
      const messages = turns.flatMap(({ asked, reasoning, content, calls }, at): ChatMessage[] => {
        const toolCalls = calls.map(({ city }, index) => call(`c${at}-${index}`, city));
        const results = toolCalls.map(({ id }) => result(id, 'fine'));
        return [user(asked), { role: 'assistant', content, reasoning, toolCalls }, ...results];
      });
      const encoded = encode(messages, { tools: [weather] });
      assert.ok(encoded.type === 'conversation');
      const learnt = encoded.sequences.flatMap(({ ids, spans }) => spans.map(([from, to]) => ({ ids, from, to })));
      const answers = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
      assert.equal(learnt.length, answers.length);
      for (const [index, { ids, from, to }] of learnt.entries()) {
        const at = answers[index] ?? 0;
        const message = messages[at];
        assert.ok(message?.role === 'assistant');
        const reasoningEffort = message.reasoning === null ? 'none' : 'high';
        const asked = chatPrompt({ messages: messages.slice(0, at), tools: [weather], reasoningEffort });
        const prompt = vocabulary.tokenizePrompt(renderChat(template, asked).segments);
        assert.deepEqual([...ids.subarray(0, from)], [...prompt]);
        const written = [...ids.subarray(from, to)];
        assert.ok(vocabulary.isEnd(written.at(-1) ?? 0));
        assert.equal(written.filter(vocabulary.isEnd).length, 1);
        assert.deepEqual(read(written), {
          reasoning: message.reasoning ?? '',
          content: message.content,
          calls: message.toolCalls.map(({ arguments: given }) => JSON.parse(given)),
        });
      }
    }),
    { numRuns: 60 },
  );
});

/** Tokens as the server reads the output of a model. */
function read(tokens: readonly number[]) {
  const parser = new OutputParser({
    startsInReasoning: false,
    tools: [weather],
    format: formats.json,
    parallelToolCalls: true,
    stop: [],
  });
  const bytes = Buffer.concat(tokens.map((token) => vocabulary.bytesOf(token)));
  const got = { reasoning: '', content: '', calls: [] as unknown[] };
  for (const delta of [...parser.push(bytes.toString(), 1), ...parser.end('eog')])
    if (delta.type === 'tool_call') got.calls.push(JSON.parse(delta.arguments));
    else got[delta.type] += delta.text;
  return got;
}

test('texts to embed are those that the model embeds, cut in front of their end token', () => {
  const encoder = createModelEncoder(embed);
  const { tokenize: tokenizeInput } = createVocabulary(embed).inputFrame();
  const texts = ['red lamp', 'lamp '.repeat(100)];
  const [encoded] = encoder.encode([{ type: 'inputs', texts }], { ...options, maxTokens: 16 });
  assert.ok(encoded?.type === 'inputs');
  assert.equal(encoded.truncated, 1);
  const [short, cut] = encoded.inputs;
  assert.deepEqual(short, tokenizeInput('red lamp'));
  assert.equal(cut?.length, 16);
  assert.equal(cut.at(-1), embed.addon.tokenEos());
  assert.deepEqual(cut.subarray(0, 15), tokenizeInput(texts[1] ?? '').subarray(0, 15));
});

test('a vocabulary has one description, and another one has another', () => {
  const [first, again, other] = [chat, chat, embed].map((model) => createModelEncoder(model).describe());
  assert.deepEqual(first, again);
  assert.match(first?.templateSha256 ?? '', /^[0-9a-f]{64}$/);
  assert.notEqual(first?.tokenizerSha256, other?.tokenizerSha256);
});
