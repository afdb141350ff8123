import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { fc } from '#test/properties.ts';
import { openModel } from '../llama/binding.ts';
import { createVocabulary } from '../llama/vocabulary.ts';
import type { ChatMessage } from '../port.ts';
import { template as compile } from '../text/prompt.fixture.ts';
import { compileChatTemplate, renderConversation } from '../text/template.ts';
import { createConversationSegments } from './conversation-segments.ts';
import { createItemCounter, createTextCounter } from './item-counter.ts';
import { createModelCounter } from './model-counter.ts';

const models = (name: string) => fileURLToPath(new URL(`../../../models/${name}`, import.meta.url));
const open = (name: string) => openModel({ path: models(name), gpu: false, maxThreads: 1, vocabOnly: true });
const chat = await open('tiny-chat/tiny-chat.gguf');
const embed = await open('tiny-embed/tiny-embed.gguf');
const vocabulary = createVocabulary(chat);
after(async () => {
  await chat.dispose();
  await embed.dispose();
});

const { controlTexts: controlTokens, bosText: bosToken, eosText: eosToken } = vocabulary;
const source = chat.facts.chatTemplate ?? '';
const now = () => new Date(0);
const template = compileChatTemplate({ source, controlTokens, bosToken, eosToken, now });

/** Words, blanks and marks that tokenisers and templates treat in ways of their own. */
const pieces = fc.constantFrom(
  ...[
    'lamp',
    'Red',
    ' ',
    '  ',
    '\n',
    '\n\n',
    '\t',
    '.',
    '...',
    "'s",
    "don't",
    '12',
    '3.5',
    '天气很好',
    'ß',
    'ſ',
    '\u00a0',
  ],
  ...[
    '<think>',
    '</think>',
    '<tool_call>',
    '<|im_end|>',
    '<tool_response>',
    'user',
    '{"a": "b"}',
    '🙂',
    'e\u0301',
    '\u2028',
  ],
);
const text = fc.oneof(
  fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join('')),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
);

test('counts of texts are those of the tokeniser, for whatever text', () => {
  const { basis, countText } = createModelCounter(chat);
  const count = createTextCounter(basis.division, countText);
  const same = (each: string) =>
    assert.equal(count(each), vocabulary.tokenize(each, false).length, JSON.stringify(each));
  for (const line of gunzipSync(readFileSync(models('tokenizer-fuzz.jsonl.gz')))
    .toString()
    .trim()
    .split('\n'))
    same(JSON.parse(line).text);
  fc.assert(fc.property(text, same), { numRuns: 500 });
});

const plain = fc.record({ role: fc.constantFrom<'system' | 'user'>('user', 'user', 'system'), content: text });
const answer = fc.record({
  role: fc.constant('assistant' as const),
  content: text,
  reasoning: fc.option(text, { freq: 4 }),
  toolCalls: fc.oneof(
    { weight: 5, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.constant([{ id: 'c', name: 'weather', arguments: '{"city":"Rome"}' }]) },
  ),
});
const conversation = fc.array(fc.oneof(plain, answer), { minLength: 1, maxLength: 5 }) as fc.Arbitrary<ChatMessage[]>;

test('conversations are divided as the template writes them, whatever they say', () => {
  const templates = [
    template,
    compile('{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content | trim }}<|im_end|>{% endfor %}'),
    compile('{% for m in messages %}{{ m.content | upper }}{{ m.content | length }}<|im_end|>{% endfor %}'),
    compile("{% for m in messages %}{% if 'lamp' in m.content %}!{% endif %}{{ m.content }}\n{% endfor %}"),
    compile('{% for m in messages %}{{ m.content | tojson }}{{ m.content[:3] }}<|im_end|>{% endfor %}'),
    compile("{% for m in messages %}{{ m.content.split('\\n')[-1] }}<|im_end|>{% endfor %}"),
  ];
  for (const each of templates) {
    const segmentsOf = createConversationSegments(() => each);
    fc.assert(
      fc.property(conversation, (messages) => {
        const expected = renderConversation(each, { messages, tools: [] }).segments;
        const found = segmentsOf({ messages, tools: [] }).map(({ special, parts }) => ({
          special,
          text: parts.join(''),
        }));
        assert.deepEqual(
          found.filter(({ text }) => text !== ''),
          expected,
        );
      }),
      { numRuns: 150 },
    );
  }
});

test('a conversation has the tokens of its prompt with the answer behind', () => {
  const { count } = createModelCounter(chat);
  fc.assert(
    fc.property(conversation, (messages) => {
      const { segments } = renderConversation(template, { messages, tools: [] });
      const { tokens, longest } = count({ type: 'conversation', messages, tools: [] });
      assert.equal(tokens, vocabulary.tokenizePrompt(segments).length);
      assert.equal(longest, tokens);
    }),
  );
});

test('whoever has no tokeniser counts the same when he asks for what he lacks, and never asks twice', () => {
  const { basis, countText, count } = createModelCounter(chat);
  const known = new Map<string, number>();
  const wanted = new Set<string>();
  const prepare = createItemCounter(basis, (each) => {
    if (!known.has(each)) wanted.add(each);
    return known.get(each) ?? Number.NaN;
  });
  fc.assert(
    fc.property(conversation, (messages) => {
      const item = { type: 'conversation' as const, messages, tools: [] };
      const { count: counted } = prepare(item);
      wanted.clear();
      assert.equal(Number.isNaN(counted().tokens), wanted.size > 0);
      for (const each of wanted) known.set(each, countText(each));
      assert.deepEqual(counted(), count(item));
    }),
  );
});

test('texts to embed have the tokens that the model embeds, its own among them', () => {
  const { count } = createModelCounter(embed);
  const { tokenize: tokenizeInput } = createVocabulary(embed).inputFrame();
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), (texts) => {
      const lengths = texts.map((each) => tokenizeInput(each).length);
      assert.deepEqual(count({ type: 'inputs', texts }), {
        tokens: lengths.reduce((sum, length) => sum + length, 0),
        longest: Math.max(...lengths),
      });
    }),
  );
});

test('what is checked is also told why the model cannot learn it', () => {
  const { count } = createModelCounter(chat);
  const problemOf = (messages: ChatMessage[], change: { seenOnly?: number[] } = {}) =>
    count({ type: 'conversation', messages, tools: [], isChecked: true, ...change }).problem;
  const asked: ChatMessage = { role: 'user', content: 'q' };
  const answer: ChatMessage = { role: 'assistant', content: 'a', reasoning: null, toolCalls: [] };
  const result: ChatMessage = { role: 'user', content: '<tool_response>x</tool_response>' };
  const leads = /its own prompt does not lead to/;
  for (let again = 0; again < 2; again++) {
    assert.equal(problemOf([asked, answer]), undefined);
    assert.equal(problemOf([asked, answer, answer]), undefined);
    assert.match(problemOf([asked, answer, answer], { seenOnly: [1] }) ?? '', leads);
    assert.match(problemOf([{ role: 'system', content: 's' }, answer]) ?? '', leads);
    // Its form is that of a question, but the template sees none in it.
    assert.match(problemOf([result, answer]) ?? '', leads);
  }
  const { tokens, problem } = count({ type: 'conversation', messages: [result, answer], tools: [] });
  assert.ok(tokens > 0 && problem === undefined);
});

test('what a template refuses is counted by its texts', () => {
  const { count } = createModelCounter({
    ...chat,
    facts: { ...chat.facts, chatTemplate: "{{ raise_exception('no') }}" },
  });
  const { tokens } = count({ type: 'conversation', messages: [{ role: 'user', content: 'red lamp' }], tools: [] });
  assert.equal(tokens, vocabulary.tokenize('red lamp', false).length);
});
