import { type Fault, fault } from '#kernel';
import { chatDefaults } from '#models';

/** Tokens of a call that does not fit the context of its model. */
export type ContextExcess = {
  /** At least. */
  promptTokens: number;
  /** null: the prompt alone is too long. */
  maxTokens: number | null;
  maxContextTokens: number;
  /** Set where instructions and tools alone are too long for any conversation, so that a shorter one would not help. */
  instructionTokens: number | null;
};

/** Clients recognise a context overflow by "maximum context length", LangChain for Python by "prompt is too long". */
export function contextExcess(call: { promptTokens: number; maxTokens: number; maxContextTokens: number }): Fault {
  const { promptTokens, maxTokens, maxContextTokens } = call;
  const requested = promptTokens + maxTokens;
  const origin = maxTokens === chatDefaults.max_tokens ? ', the default' : '';
  return fault('invalid_request', {
    param: promptTokens >= maxContextTokens ? 'messages' : 'max_tokens',
    message:
      `This model's maximum context length is ${maxContextTokens} tokens. However, you requested ${requested} tokens ` +
      `(${promptTokens} in the prompt, ${maxTokens} in max_tokens${origin}): ` +
      'the prompt is too long or max_tokens is too large. Send fewer messages or tools, or a smaller max_tokens.',
    details: { prompt_tokens: promptTokens, max_tokens: maxTokens, max_context_tokens: maxContextTokens },
  });
}

/** What a refusal says of the context; null when it is about something else. */
export function contextExcessOf({ options: { details = {} } }: Fault): ContextExcess | null {
  const { prompt_tokens: promptTokens, max_tokens: maxTokens, max_context_tokens: maxContextTokens } = details;
  const { instruction_tokens: instructionTokens } = details;
  if (typeof promptTokens !== 'number' || typeof maxContextTokens !== 'number') return null;
  return {
    promptTokens,
    maxTokens: typeof maxTokens === 'number' ? maxTokens : null,
    maxContextTokens,
    instructionTokens: typeof instructionTokens === 'number' ? instructionTokens : null,
  };
}
