import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { smallShape, writeRandomModel } from '#test/random-model.ts';
import { type AddonModel, tokenAttributes, vocabularyTypes } from '../llama/addon.ts';
import { openModel } from '../llama/binding.ts';
import { createBeginnings } from './bounded-tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'fanfold-bounds-'));
after(() => rmSync(folder, { recursive: true }));

const shipped = (name: string) => fileURLToPath(new URL(`../../../models/${name}/${name}.gguf`, import.meta.url));

function random(preTokenizer: string): string {
  const path = join(folder, `${preTokenizer}.gguf`);
  writeRandomModel(path, { shape: smallShape, seed: 4, kind: 'text', spread: 0.2, ends: false, preTokenizer });
  return path;
}

const files = [shipped('tiny-chat'), shipped('tiny-embed'), ...['llama-bpe', 'gpt-2', 'superbpe'].map(random)];
const words = 'The tall lamp word7 stands beside the red word300 door.\nIt is on, and nobody looks. ';
const texts = [
  words.repeat(300),
  JSON.stringify({ list: Array.from({ length: 500 }, (_, n) => ({ n, name: `item ${n}` })) }, null, 2),
  '这是一个很长的句子，没有空格。'.repeat(400),
  ' '.repeat(9_000),
  `${'\n'.repeat(3_000)} x`,
  'a'.repeat(9_000),
  '\u2581'.repeat(3_000),
  '😀\ud800é\u0000'.repeat(1_000),
  '<|im_start|>user <think> '.repeat(500),
];

const models = await Promise.all(files.map((path) => openModel({ path, gpu: false, maxThreads: 1, vocabOnly: true })));

for (const [place, model] of models.entries()) {
  const beginnings = createBeginnings(model);

  describe(`the vocabulary of ${files[place]?.split('/').at(-1)}`, () => {
    test('makes of a beginning the tokens that the whole text begins with', () => {
      const seen: number[] = [];
      for (const text of texts) {
        const whole = model.addon.tokenize(text, false);
        for (const beginning of beginnings(text, 500)) {
          const tokens = model.addon.tokenize(beginning, false);
          assert.deepEqual(tokens, whole.subarray(0, tokens.length), beginning.slice(-20));
          seen.push(beginning.length);
        }
      }
      assert.ok(seen.length > 3);
    });
  });
}

/** A vocabulary of these tokens: text and attributes. */
function beginningsOf(type: number, tokens: readonly (readonly [text: string, attributes: number])[], pre = 'gpt-2') {
  const addon = {
    getVocabularyType: () => type,
    getTokenString: (token: number) => tokens[token]?.[0],
    getTokenAttributes: (token: number) => tokens[token]?.[1] ?? 0,
  };
  // as: what is looked at of tokens.
  const asked = addon as unknown as AddonModel;
  const facts = { vocabularySize: tokens.length, preTokenizer: pre } as Parameters<typeof createBeginnings>[0]['facts'];
  return createBeginnings({ addon: asked, facts });
}

const { normal } = tokenAttributes;
const letters = [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, normal] as const);
test('a text is cut nowhere where a token goes on behind a letter and a blank', () => {
  const cuts = (...more: [string, number][]) => [
    ...beginningsOf(vocabularyTypes.bytePair, [...letters, ...more])('some words '.repeat(1_000), 100),
  ];
  assert.ok(cuts().length > 3);
  assert.ok(cuts().every((beginning) => /[a-z]$/.test(beginning)));
  assert.deepEqual(cuts(['of\u0120the', normal]), []);
});
