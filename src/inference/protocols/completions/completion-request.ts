import { readBody } from '#http';
import type { TextRequest } from '../../model-request.ts';
import { readReasoningEffort } from '../chat-completions/chat-request.ts';
import { readSampling } from '../openai/sampling.ts';
import { completionRequestSchema } from './completions.contract.ts';

/** Reads the body of P/completions: one prompt, one answer, no streaming. The prompt becomes one user turn. */
export function readCompletionRequest(sent: unknown): TextRequest {
  const body = readBody(completionRequestSchema, sent);
  return {
    model: body.model,
    stream: false,
    prompt: {
      messages: [{ role: 'user', content: [body.prompt].flat().join(' ') }],
      tools: [],
      toolChoice: { mode: 'none' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: readReasoningEffort(body),
    },
    sampling: readSampling(body),
  };
}
