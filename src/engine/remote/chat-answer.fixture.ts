import type { Delta } from '../port.ts';
import { type AnswerOptions, ChatAnswer } from './chat-answer.ts';
import { openai } from './dialects/openai.ts';
import type { Chunk } from './upstream.fixture.ts';

/** What the answer of these chunks says. */
export const read = (chunks: readonly Chunk[], options: Partial<AnswerOptions> = {}) => {
  const answer = new ChatAnswer({
    hasTools: true,
    parallelToolCalls: true,
    stop: [],
    fields: openai.answer,
    ...options,
  });
  const deltas = chunks.flatMap((chunk) => answer.push(chunk));
  if (answer.isComplete) deltas.push(...answer.end());
  const textOf = (type: 'content' | 'reasoning') =>
    deltas.flatMap((each) => (each.type === type ? each.text : [])).join('');
  const calls = deltas.filter((each): each is Extract<Delta, { type: 'tool_call' }> => each.type === 'tool_call');
  return { answer, content: textOf('content'), reasoning: textOf('reasoning'), calls };
};
