import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChatAnswer } from './chat-answer.ts';
import { openai } from './dialects/openai.ts';

const entry = (token: string, top: string[] = []) => ({
  token,
  logprob: -0.5,
  bytes: null,
  top_logprobs: top.map((each) => ({ token: each, logprob: -1, bytes: [1] })),
});
const chunk = (delta: object, tokens: object[], finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta, logprobs: { content: tokens }, finish_reason }],
});

test('log probabilities of a remote engine come with the content, and those of its reasoning are left out', () => {
  const answer = new ChatAnswer({
    hasTools: false,
    parallelToolCalls: true,
    stop: [],
    fields: openai.answer,
    logprobs: true,
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }, []),
    chunk({ reasoning_content: 'Hm.' }, [entry('Hm'), entry('.')]),
    chunk({ content: 'Hé' }, [entry('H', ['H', 'B']), entry('é')]),
    chunk({ content: '!' }, [entry('!')], 'stop'),
  ];
  const deltas = [...chunks.flatMap((each) => answer.push(each)), ...answer.end()];
  const logprobs = deltas.flatMap((delta) => (delta.type === 'content' ? (delta.logprobs ?? []) : []));
  assert.deepEqual(
    logprobs.map(({ token, bytes, top }) => [token, bytes, top.map((each) => each.token)]),
    [
      ['H', [0x48], ['H', 'B']],
      ['é', [0xc3, 0xa9], []],
      ['!', [0x21], []],
    ],
  );
});
