import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseExactJson } from '#kernel';
import { formats } from '../text/formats/formats.fixture.ts';
import { freeCallGrammar, type GrammarInput, grammarTexts, promptGrammars } from '../text/grammar.ts';
import type { NativeGrammar } from './binding.ts';
import { Grammars } from './grammars.ts';

const free: GrammarInput = {
  responseFormat: { type: 'text' },
  toolChoice: { mode: 'auto' },
  tools: [],
  parallelToolCalls: true,
};
const held = (schema: Record<string, unknown>): GrammarInput => ({
  ...free,
  responseFormat: { type: 'json_schema', schema },
});
const numbered = (n: number): GrammarInput => held({ type: 'object', properties: { [`n${n}`]: { type: 'integer' } } });
const weather = {
  name: 'weather',
  description: 'Tells it',
  parameters: { type: 'object', properties: {} },
  strict: true,
};

/** Notes the text of each grammar that is compiled. */
function noted(most?: { count: number; characters: number }) {
  const texts: string[] = [];
  const model = {
    createGrammar: (gbnf: string): NativeGrammar => {
      texts.push(gbnf);
      return { isTextCompatible: (text) => text === gbnf };
    },
  };
  return { texts, grammars: new Grammars(model, most) };
}

test('equal requests share the grammars that were compiled for the first one', () => {
  const { texts, grammars } = noted();
  // Each comes over the channel as a copy of its own.
  const received = () => grammars.of(structuredClone(grammarTexts(numbered(1), formats.json.spec)));
  const first = received();
  for (let n = 0; n < 10; n++) assert.equal(received(), first);
  assert.equal(texts.length, 1);
  for (let n = 0; n < 10; n++) assert.ok(received().constraint?.afterReasoning);
  assert.equal(texts.length, 2, 'the one behind reasoning when it is first needed');
});

test('numbers that a double does not tell from others are told apart', () => {
  const { grammars } = noted();
  const constant = (value: string) =>
    grammars.of(grammarTexts(held({ enum: parseExactJson(`[1, ${value}]`) }), formats.json.spec));
  assert.notEqual(constant('0'), constant('-0'));
  assert.notEqual(constant('9007199254740992'), constant('9007199254740993'));
  assert.equal(constant('9007199254740993'), constant('9007199254740993'));
});

test('requests that differ in anything that they are held to have grammars of their own', () => {
  const requests: GrammarInput[] = [
    numbered(1),
    numbered(2),
    held({ type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, required: ['a', 'b'] }),
    held({ type: 'object', properties: { b: { type: 'integer' }, a: { type: 'integer' } }, required: ['a', 'b'] }),
    { ...free, responseFormat: { type: 'json_object' } },
    { ...free, tools: [weather] },
    { ...free, tools: [weather], toolChoice: { mode: 'required' } },
    { ...free, tools: [weather], toolChoice: { mode: 'required' }, parallelToolCalls: false },
    { ...free, tools: [{ ...weather, name: 'time' }], toolChoice: { mode: 'required' } },
    { ...free, tools: [weather], toolChoice: { mode: 'named', name: 'weather' } },
    { ...numbered(1), tools: [weather] },
    free,
  ];
  const { grammars } = noted();
  for (let round = 0; round < 2; round++)
    for (const format of [formats.json, formats.xml])
      for (const asked of requests) {
        const { constraint, calls } = grammars.of(grammarTexts(asked, format.spec));
        const whole = promptGrammars(asked, format);
        const freely = freeCallGrammar(asked, format);
        assert.equal(constraint === null, whole === null);
        assert.equal(calls === null, freely === null);
        if (constraint !== null && whole !== null) {
          assert.ok(constraint.atStart.isTextCompatible(whole('nothing')));
          assert.ok(constraint.afterReasoning.isTextCompatible(whole('newlines')));
        }
        if (calls !== null && freely !== null) assert.ok(calls.isTextCompatible(freely));
      }
});

test('grammars are kept in bounded number, and those go that were used least recently', () => {
  const { texts, grammars } = noted({ count: 3, characters: Infinity });
  for (const n of [1, 2, 3]) grammars.of(grammarTexts(numbered(n), formats.json.spec));
  grammars.of(grammarTexts(numbered(1), formats.json.spec));
  grammars.of(grammarTexts(numbered(4), formats.json.spec));
  assert.equal(texts.length, 4);
  for (const n of [1, 3, 4]) grammars.of(grammarTexts(numbered(n), formats.json.spec));
  assert.equal(texts.length, 4, 'these were kept');
  grammars.of(grammarTexts(numbered(2), formats.json.spec));
  assert.equal(texts.length, 5, 'this one went');
});

test('grammars are kept up to a bounded size; one beyond it answers its request all the same', () => {
  const long = held({ type: 'string', enum: Array.from({ length: 500 }, (_, n) => `value ${n}`) });
  const { texts, grammars } = noted({ count: 100, characters: 10_000 });
  for (let n = 0; n < 3; n++) assert.ok(grammars.of(grammarTexts(long, formats.json.spec)).constraint);
  assert.equal(texts.length, 3, 'too long to be kept');
  for (let round = 0; round < 2; round++) grammars.of(grammarTexts(numbered(1), formats.json.spec));
  assert.equal(texts.length, 4, 'the others are');
  for (let n = 0; n < 100; n++) grammars.of(grammarTexts(numbered(n), formats.json.spec));
  const before = texts.length;
  for (let n = 0; n < 100; n++) grammars.of(grammarTexts(numbered(n), formats.json.spec));
  assert.ok(texts.length > before, 'not all hundred fit');
});
