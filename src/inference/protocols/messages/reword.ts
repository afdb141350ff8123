import { type Fault, fault } from '#kernel';
import { contextExcessOf } from '../../context-excess.ts';

/** Clients know by these words that a conversation has become too long, and shorten it. */
export function reword(problem: Fault): Fault {
  const excess = contextExcessOf(problem);
  // A shorter conversation would not help, and agents would shorten it again and again.
  if (excess === null || excess.instructionTokens !== null) return problem;
  const { promptTokens, maxContextTokens } = excess;
  // A prompt that fills the context leaves no room for an answer.
  const most = Math.min(maxContextTokens, promptTokens - 1);
  return fault('invalid_request', {
    ...problem.options,
    param: 'messages',
    message: `prompt is too long: ${promptTokens} tokens > ${most} maximum`,
  });
}
