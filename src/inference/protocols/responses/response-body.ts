import type { Finished, Usage } from '#engine';
import type { AnswerPart } from '../../collected-answer.ts';
import type { OutputItem } from './output-items.ts';

/** What is known of a response from its beginning. */
export type ResponseHead = {
  id: string;
  /** Unix time in seconds. */
  createdAt: number;
  model: string;
  store: boolean;
  settings: Record<string, unknown>;
};

/** What the end of an answer decides over its response. */
export type ResponseEnd = {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  error: { code: string; message: string } | null;
  incomplete_details: { reason: string } | null;
  usage: ReturnType<typeof usageToWire> | null;
};

/** With the settings of its request. */
export type ResponseBody = ReturnType<typeof responseBody> & Record<string, unknown>;

/** While the answer is made. */
export const begun: ResponseEnd = { status: 'in_progress', error: null, incomplete_details: null, usage: null };

export function responseBody(
  { id, createdAt, model, store, settings }: ResponseHead,
  { status, ...end }: ResponseEnd,
  output: readonly OutputItem[],
) {
  return { id, object: 'response', created_at: createdAt, model, ...settings, store, status, output, ...end };
}

/** Of an answer that ended by itself or at its limit. */
export function endingOf({ reason, usage }: Finished): ResponseEnd & { status: 'completed' | 'incomplete' } {
  return {
    status: reason === 'stop' || reason === 'tool_calls' ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === 'length' ? { reason: 'max_output_tokens' } : null,
    usage: usageToWire(usage),
  };
}

/** Clients wait for something that was said: without text and calls there is a message without text, unless thinking took all tokens. */
export function lacksMessage(parts: readonly AnswerPart[], { reason }: Finished): boolean {
  if (parts.some(({ type }) => type !== 'reasoning')) return false;
  return parts.length === 0 || reason !== 'length';
}

function usageToWire({ promptTokens, completionTokens, cachedTokens, reasoningTokens }: Usage) {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
