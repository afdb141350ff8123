import type { Fields } from '#kernel';
import type { TextRequest } from '../../model-request.ts';
import { readReasoningEffort } from '../chat-completions/chat-request.ts';
import { acceptOnly, readModel, readObject, refuse } from '../openai/fields.ts';
import { readSampling } from '../openai/sampling.ts';

/** Reads the body of P/completions: one prompt, one answer, no streaming. The prompt becomes one user turn. */
export function readCompletionRequest(body: unknown): TextRequest {
  const fields = readObject(body);
  const model = readModel(fields);
  const text = readPrompt(fields);
  refuseUnsupported(fields);
  return {
    model,
    stream: false,
    prompt: {
      messages: [{ role: 'user', content: text }],
      tools: [],
      toolChoice: { mode: 'none' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: readReasoningEffort(fields),
    },
    sampling: readSampling(fields),
  };
}

function readPrompt(fields: Fields): string {
  const { prompt } = fields;
  if (typeof prompt === 'string') return prompt;
  if (!Array.isArray(prompt) || prompt.length === 0) throw refuse('prompt', 'expected a string or a list of strings');
  for (const part of prompt) {
    if (typeof part !== 'string') throw refuse('prompt', 'expected a string or a list of strings, not token ids');
  }
  return prompt.join(' ');
}

function refuseUnsupported(fields: Fields): void {
  const never = () => false;
  acceptOnly(fields, 'stream', (value) => value === false, 'this route does not stream; use chat/completions');
  acceptOnly(fields, 'best_of', (value) => value === 1, 'only 1 is supported');
  acceptOnly(fields, 'echo', (value) => value === false, 'not supported');
  acceptOnly(fields, 'suffix', (value) => value === '', 'not supported');
  acceptOnly(fields, 'logprobs', never, 'not supported');
}
