import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CollectedAnswer } from '../../collected-answer.ts';
import { textCompletion } from './index.ts';

test('a legacy completion shows the visible text only', () => {
  const collected = new CollectedAnswer();
  collected.add({ type: 'reasoning', text: 'hm' });
  collected.add({ type: 'content', text: 'Hello' });
  const usage = { promptTokens: 9, completionTokens: 5, reasoningTokens: 2, cachedTokens: 3 };
  const head = { id: 'cmpl-1', created: 1760000000, model: 'chat' };
  assert.deepEqual(textCompletion(head, collected, { reason: 'stop', usage, activeMs: 12 }).choices, [
    { text: 'Hello', index: 0, logprobs: null, finish_reason: 'stop' },
  ]);
});
