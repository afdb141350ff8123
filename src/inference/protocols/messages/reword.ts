import { type Fault, fault } from '#kernel';
import { contextExcessOf } from '../../context-excess.ts';

/** Says of a refusal what it is about in the words of this protocol. */
export function reword(problem: Fault): Fault {
  const { message, options } = problem;
  if (options.param !== 'response_format') return rewordExcess(problem);
  const param = 'output_config.format';
  return fault(problem.fault, { ...options, param, message: message.replace(/^response_format\.json_schema/, param) });
}

/** Clients know by these words that a conversation has become too long, and shorten it. */
function rewordExcess(problem: Fault): Fault {
  const excess = contextExcessOf(problem);
  // A shorter conversation would not help, and agents would shorten it again and again.
  if (excess === null || excess.instructionTokens !== null) return problem;
  const { promptTokens, maxContextTokens } = excess;
  // A prompt that fills the context leaves no room for an answer.
  const most = Math.min(maxContextTokens, promptTokens - 1);
  return fault('invalid_request', {
    message: `prompt is too long: ${promptTokens} tokens > ${most} maximum`,
  });
}
