import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CountingBasis } from '#engine';
import { createBatchCounter } from './token-counting.ts';

/** Of a model whose tokens are characters, but for `<think>`, which is one. */
const basis: CountingBasis = {
  template: '{% for message in messages %}{{ message.role }}\n{{ message.content }}\n{% endfor %}',
  controlTexts: [],
  bosText: '',
  eosText: '',
  inFront: 0,
  aroundInput: 0,
  division: { divider: 'qwen2', added: ['<think>'], addedTakeBlanks: false },
};

const conversation = (question: string) => ({
  messages: [
    { role: 'user' as const, content: question },
    { role: 'assistant' as const, content: 'A lamp.' },
  ],
  tools: null,
});

test('the tokeniser counts a word once, however often it comes', async () => {
  const requested: string[] = [];
  const count = createBatchCounter(basis, async (texts) => {
    requested.push(...texts);
    return texts.map(({ length }) => length);
  });
  for (let batch = 0; batch < 5; batch++) {
    const contents = Array.from({ length: 100 }, (_, n) => conversation(`Which lamp is ${n % 7}<think>?`));
    for (const { tokens, longest } of await count(contents)) {
      assert.equal(tokens, 'user\nWhich lamp is 1?\nassistant\nA lamp.\n'.length + 1);
      assert.equal(longest, tokens);
    }
  }
  assert.equal(requested.filter((text) => text === ' lamp').length, 1);
});

test('batches that are counted at the same time do not mix up', async () => {
  const count = createBatchCounter(basis, async (texts) => texts.map(({ length }) => length));
  const lengths = [3, 50, 9, 120];
  const batches = await Promise.all(lengths.map((length) => count([conversation('x'.repeat(length))])));
  const [shortest = 0] = batches.map(([counted]) => (counted?.tokens ?? 0) - 3);
  assert.deepEqual(
    batches.map(([counted]) => counted?.tokens),
    lengths.map((length) => shortest + length),
  );
});

test('counting fails with the error of the tokeniser', async () => {
  const count = createBatchCounter(basis, () => Promise.reject(new Error('No tokeniser.')));
  await assert.rejects(count([conversation('Why?')]), /No tokeniser/);
});
