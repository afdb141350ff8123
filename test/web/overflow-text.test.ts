import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overflowText } from '../../web/src/i18n/overflow-text.ts';

const said =
  "This model's maximum context length is 4096 tokens. However, you requested 6067 tokens (5043 in the prompt, 1024 in " +
  'max_tokens): the prompt is too long or max_tokens is too large.';

test('a conversation that is too long is told with its numbers in Chinese, and in both languages what to do', () => {
  const chinese = overflowText(said, 'zh');
  assert.match(chinese?.what ?? '', /5043.*1024.*4096/);
  assert.match(chinese?.next ?? '', /新对话/);
  assert.deepEqual(overflowText(said, 'en')?.what, said);
  assert.match(overflowText(said, 'en')?.next ?? '', /new chat/);
});

test('a conversation that was not counted to its end is told with how much it is at least', () => {
  const least =
    "This model's maximum context length is 4096 tokens. However, your messages resulted in at least 52000 tokens: the prompt is too long.";
  assert.match(overflowText(least, 'zh')?.what ?? '', /至少 52000 .*4096/);
});

test('an overflow without numbers is told, and nothing else is taken for one', () => {
  assert.match(overflowText("This model's maximum context length is exceeded. 400", 'zh')?.what ?? '', /上下文/);
  assert.equal(overflowText('messages: expected a list with at least one message', 'zh'), null);
});
