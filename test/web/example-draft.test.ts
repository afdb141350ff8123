import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contentOf, draftOf } from '../../web/src/rooms/examples/example-draft.ts';

test('a conversation that is edited keeps all that it says of its messages', () => {
  const text = {
    messages: [
      { role: 'user', content: 'Rain in Rome?' },
      { role: 'assistant', content: 'Yes.', weight: 0 },
      { role: 'user', content: 'Look it up.' },
      {
        role: 'assistant',
        content: null,
        reasoning_content: 'I have a tool.',
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{}' } }],
      },
      { role: 'tool', content: 'Dry.', tool_call_id: 'c' },
      { role: 'assistant', content: 'No.' },
    ],
    tools: [{ type: 'function', function: { name: 'weather' } }],
  } satisfies Parameters<typeof draftOf>[0]['text'];
  assert.deepEqual(contentOf(draftOf({ text, embedding: null, split: 'test' })), { text, split: 'test' });
});
