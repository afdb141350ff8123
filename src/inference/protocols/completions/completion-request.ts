import { readBody } from '#http';
import type { TextRequest } from '../../model-request.ts';
import { readReasoningEffort, readSampling } from '../chat-completions/chat-request.ts';
import { refuse } from '../openai/refuse.ts';
import { type CompletionBody, completionRequestSchema } from './completions.contract.ts';

/** Reads the body of P/completions: one prompt, one answer, no streaming. The prompt becomes one user turn, or what stands in front of a suffix. */
export function readCompletionRequest(sent: unknown): TextRequest {
  const body = readBody(completionRequestSchema, sent);
  return {
    model: body.model,
    stream: false,
    prompt: {
      messages: [{ role: 'user', content: [body.prompt].flat().join(' ') }],
      ...readSuffix(body),
      tools: [],
      toolChoice: { mode: 'none' },
      parallelToolCalls: true,
      responseFormat: { type: 'text' },
      reasoningEffort: readReasoningEffort(body),
    },
    sampling: readSampling(body),
  };
}

/** An empty suffix asks for nothing. */
function readSuffix({ suffix, reasoning_effort: effort }: CompletionBody): { suffix?: string } {
  if (!suffix) return {};
  if (effort === 'low' || effort === 'high')
    throw refuse(
      'reasoning_effort',
      'a model does not reason where it fills in the middle; leave it out, or send "none"',
    );
  return { suffix };
}
