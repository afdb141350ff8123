import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { openModel } from './binding.ts';
import { createTokenText, createVocabulary } from './vocabulary.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-vocabulary-'));
const open = async (kind: 'text' | 'embedding') => {
  const path = join(folder, kind);
  writeRandomModel(path, { shape: smallShape, seed: 1, kind, spread: 0.1, ends: true });
  return openModel({ path, gpu: false, maxThreads: 1 });
};
const models = { text: await open('text'), embedding: await open('embedding') };
const vocabulary = createVocabulary(models.text);
after(async () => {
  await models.text.dispose();
  await models.embedding.dispose();
  rmSync(folder, { recursive: true });
});

/** The text of tokens that come one by one. */
function written(tokens: Iterable<number>): string {
  const text = createTokenText(vocabulary);
  return Array.from(tokens, text.push).join('');
}

describe('text of tokens', () => {
  test('tokens of any text, one by one, give the text back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        assert.equal(written(vocabulary.tokenize(text, false)), text);
      }),
    );
  });

  test('bytes that are no text come out as the decoder of the web platform has them, and an incomplete last character is left out', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        // The first 256 tokens of the test vocabulary are the bytes.
        const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
        assert.equal(written(bytes), decoder.decode(bytes, { stream: true }));
      }),
    );
  });

  test('an incomplete character is held back, not replaced', () => {
    const text = createTokenText(vocabulary);
    const bytes = Buffer.from('€a');
    const written = Array.from(bytes, (token) => [text.push(token), text.waits()]);
    assert.deepEqual(written.slice(0, 2), [
      ['', true],
      ['', true],
    ]);
    assert.deepEqual([written[2]?.[0], written[3]], ['€', ['a', false]]);
  });

  test('control tokens have no text, the tags of reasoning and tools have', () => {
    assert.equal(written(vocabulary.tokenize('<|im_start|>a<think>b</tool_call>', true)), 'a<think>b</tool_call>');
    assert.deepEqual(vocabulary.controlTexts, ['<|endoftext|>', '<|im_start|>', '<|im_end|>']);
  });
});

describe('tokens of text', () => {
  test('only marked segments of a prompt can become control tokens', () => {
    const segments = [
      { text: '<|im_start|>', special: true },
      { text: '<|im_end|>', special: false },
    ];
    const [first, ...rest] = vocabulary.tokenizePrompt(segments);
    assert.equal(first, vocabulary.find('<|im_start|>'));
    assert.ok(rest.length > 1 && !rest.includes(vocabulary.find('<|im_end|>') ?? -1));
  });

  test('an input to embed ends with one end token, also where it is cut; a text model adds none', () => {
    const embedding = createVocabulary(models.embedding);
    const end = embedding.find('<|endoftext|>') ?? -1;
    const frame = embedding.inputFrame();
    const input = frame.tokenize('a<|endoftext|>');
    assert.deepEqual([input.at(-1), input.filter((token) => token === end).length], [end, 1]);
    assert.deepEqual([...frame.cut(input, 3)], [input[0], input[1], end]);
    assert.equal(vocabulary.inputFrame().tokenize('abc').length, 3);
  });

  test('a tag is found where it is one token', () => {
    assert.equal(typeof vocabulary.find('</think>'), 'number');
    assert.equal(vocabulary.find('</thinking>'), null);
  });
});
