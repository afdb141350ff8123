import { type Fault, fault } from '#kernel';
import { contextExcessOf } from '../../context-excess.ts';

/** Fields as this protocol names them. */
const fields: Record<string, string> = {
  messages: 'input',
  max_tokens: 'max_output_tokens',
  response_format: 'text.format',
  reasoning_effort: 'reasoning.effort',
};

/** Says in the words of this protocol why a call was refused. */
export function reword(problem: Fault): Fault {
  const excess = contextExcessOf(problem);
  // Where a shorter conversation would not help, nothing may look as if it did: agents would shorten it again and again.
  if (excess !== null && excess.instructionTokens === null) return tooLong(problem, excess);
  const { param } = problem.options;
  const field = param === undefined ? undefined : fields[param];
  if (param === undefined || field === undefined) return problem;
  const begins = [`${param}.json_schema`, param].find((path) => problem.message.startsWith(path)) ?? '';
  const message = begins === '' ? problem.message : field + problem.message.slice(begins.length);
  return fault(problem.fault, { ...problem.options, param: field, message });
}

/** Clients recognise the code, "context window", "maximum context length", or "prompt is too long". */
function tooLong(
  problem: Fault,
  { promptTokens, maxTokens, maxContextTokens }: NonNullable<ReturnType<typeof contextExcessOf>>,
) {
  const isInput = maxTokens === null || promptTokens >= maxContextTokens;
  const requested = isInput
    ? `your input has ${promptTokens}`
    : `you requested ${promptTokens + maxTokens} (${promptTokens} in the input, ${maxTokens} in max_output_tokens)`;
  const help = isInput
    ? 'The prompt is too long: send fewer items or tools. With truncation "auto" the oldest turns are left out.'
    : 'The prompt is too long or max_output_tokens is too large: send fewer items or tools, or a smaller max_output_tokens.';
  return fault('context_length_exceeded', {
    ...problem.options,
    param: isInput ? 'input' : 'max_output_tokens',
    message: `Your input exceeds the context window of this model. Its maximum context length is ${maxContextTokens} tokens; ${requested}. ${help}`,
  });
}
