import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openModel } from '../llama/binding.ts';
import { createVocabulary } from '../llama/vocabulary.ts';
import { createBeginnings, createBoundedTokens, TooManyTokens } from './bounded-tokens.ts';

const path = fileURLToPath(new URL('../../../models/tiny-embed/tiny-embed.gguf', import.meta.url));
const model = await openModel({ path, gpu: false, maxThreads: 1, vocabOnly: true });
const whole = createVocabulary(model);

/** Counts the characters that the tokeniser gets. */
function counted() {
  const got = { characters: 0 };
  const addon = new Proxy(model.addon, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (name === 'tokenize') got.characters += String(given[0]).length;
        return Reflect.apply(member, target, given);
      };
    },
  });
  const vocabulary = createVocabulary({ ...model, addon });
  const tokens = createBoundedTokens(vocabulary, createBeginnings(model));
  const frame = vocabulary.inputFrame();
  got.characters = 0;
  return { tokens, frame, got };
}

const most = 512;
const words = 'The tall lamp stands beside the red door. ';
const megabyte = words.repeat(25_000);
const plain = (text: string) => [{ text, special: false }];
const tooMany = (least: number) => (error: unknown) => error instanceof TooManyTokens && error.atLeast >= least;

describe('a prompt', () => {
  test('that is too long is tokenised little further than the context goes', () => {
    const text = words.repeat(Math.ceil(30_000 / words.length));
    const { tokens, got } = counted();
    assert.throws(() => tokens.prompt(plain(text), 3_000), tooMany(3_001));
    assert.ok(got.characters < text.length, `${got.characters} of ${text.length}`);
    const messages = counted();
    const many = Array.from({ length: 500 }, () => plain(words)).flat();
    assert.throws(() => messages.tokens.prompt(many, most), tooMany(most + 1));
    assert.ok(messages.got.characters < 20_000);
  });

  test('that fits has the tokens that it has when it is read at once, to the last one', () => {
    const text = words.repeat(300);
    const all = whole.tokenizePrompt(plain(text));
    assert.deepEqual(counted().tokens.prompt(plain(text), all.length), all);
    assert.throws(() => counted().tokens.prompt(plain(text), all.length - 1), tooMany(all.length));
  });
});

function cutAtOnce(text: string) {
  const frame = whole.inputFrame();
  return frame.cut(frame.tokenize(text), most);
}

describe('an input', () => {
  test('that may be cut is tokenised as far as it is kept, and cut in the same place', () => {
    const { tokens, frame, got } = counted();
    const { tokens: cut, truncated } = tokens.input(frame, megabyte, { most, isCut: true });
    assert.deepEqual(cut, cutAtOnce(megabyte));
    assert.equal(truncated, true);
    assert.ok(got.characters < 20_000, `${got.characters}`);
    const word = 'a'.repeat(40_000);
    assert.deepEqual(tokens.input(frame, word, { most, isCut: true }).tokens, cutAtOnce(word));
  });

  test('that may not be cut and cannot fit is tokenised little further than it may go', () => {
    const { tokens, frame, got } = counted();
    assert.throws(() => tokens.input(frame, megabyte, { most, isCut: false }), tooMany(most + 1));
    assert.ok(got.characters < 20_000, `${got.characters}`);
  });

  test('that fits is read whole', () => {
    const { tokens, frame } = counted();
    assert.deepEqual(tokens.input(frame, words, { most, isCut: false }), {
      tokens: whole.inputFrame().tokenize(words),
      truncated: false,
    });
  });
});
