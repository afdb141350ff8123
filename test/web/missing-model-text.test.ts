import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingModelText } from '../../web/src/i18n/missing-model-text.ts';

test('of a model that is not installed the app says where it is installed in the browser, not by which command', () => {
  for (const [message, what] of [
    [
      'The model qwen3-4b is not installed. Its operator can run: fanfold models pull qwen3-4b (or fanfold models add qwen3-4b --kind KIND --gguf FILE).',
      'The model qwen3-4b is not installed.',
    ],
    [
      'The model qwen3-4b is listed but not installed. Install it with: fanfold models pull qwen3-4b',
      'The model qwen3-4b is listed but not installed.',
    ],
    [
      'The base model qwen3-4b is listed, but this server lacks the weights to train on. Its operator installs this with: fanfold models pull qwen3-4b --weights',
      'The base model qwen3-4b is listed, but this server lacks the weights to train on.',
    ],
  ] as const) {
    const text = missingModelText(message, 'en');
    assert.equal(text?.what, what);
    assert.match(text?.next ?? '', /Operator, Models/);
    assert.doesNotMatch(JSON.stringify([text, missingModelText(message, 'zh')]), /fanfold|--/);
  }
  assert.equal(missingModelText('There is no model "helper" in this project.', 'en'), null);
});
