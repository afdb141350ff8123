import type { Finished, Usage } from '#engine';
import { parseExactJson } from '#kernel';
import type { AnswerPart, CollectedAnswer } from '../../collected-answer.ts';
import type { ThinkingSignatures } from './thinking-signature.ts';

/** What the answers to one call have in common. */
export type MessageHead = {
  id: string;
  model: string;
  maxTokens: number;
  hidesThinking: boolean;
  signatures: ThinkingSignatures;
};

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'tool_use'; id: string; name: string; input: unknown };

/** Of a prompt, what the model still knew is counted apart. */
export function usageToWire({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage) {
  return {
    input_tokens: promptTokens - cachedTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cachedTokens,
    output_tokens: completionTokens,
    output_tokens_details: { thinking_tokens: reasoningTokens },
  };
}

/** The body of an answer. */
export function messageBody(head: MessageHead, answer: CollectedAnswer, finished: Finished) {
  const content = answer.parts.map((part) => blockOf(part, head));
  const hasCalls = content.some(({ type }) => type === 'tool_use');
  return {
    id: head.id,
    type: 'message' as const,
    role: 'assistant' as const,
    model: head.model,
    content,
    ...endingOf(finished, { hasCalls, maxTokens: head.maxTokens }),
    usage: usageToWire(finished.usage),
  };
}

export type AnthropicMessage = ReturnType<typeof messageBody>;

function blockOf(part: AnswerPart, head: MessageHead): ContentBlock {
  switch (part.type) {
    case 'content':
      return { type: 'text', text: part.text };
    case 'reasoning':
      return { type: 'thinking', ...thoughtOf(part.text, head) };
    case 'tool_call':
      return { type: 'tool_use', id: part.callId, name: part.name, input: parseExactJson(part.arguments) };
  }
}

/** A thought that is not shown is in its signature. */
export function thoughtOf(text: string, { hidesThinking, signatures }: MessageHead) {
  return hidesThinking
    ? { thinking: '', signature: signatures.seal(text) }
    : { thinking: text, signature: signatures.sign(text) };
}

/** Why an answer ended. */
export function endingOf(
  { reason, stopText = null, usage }: Finished,
  { hasCalls, maxTokens }: { hasCalls: boolean; maxTokens: number },
) {
  const because = (stop_reason: string) => ({ stop_reason, stop_sequence: null as string | null });
  if (reason === 'length')
    return because(
      usage.completionTokens > 0 && usage.completionTokens < maxTokens ? 'model_context_window_exceeded' : 'max_tokens',
    );
  if (reason === 'tool_calls' || hasCalls) return because('tool_use');
  return stopText === null ? because('end_turn') : { stop_reason: 'stop_sequence', stop_sequence: stopText };
}

export type MessageEnd = ReturnType<typeof endingOf>;
