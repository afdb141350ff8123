import type { Finished, Usage } from '#engine';
import type { AnswerPart } from '../../collected-answer.ts';
import { type ItemMaking, type OutputItem, outputItem } from './output-items.ts';

/** What is known of a response from its beginning. */
export type ResponseHead = {
  id: string;
  /** Unix time in seconds. */
  createdAt: number;
  model: string;
  store: boolean;
  settings: object;
};

type Ending = {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  output: readonly OutputItem[];
  error: { code: string; message: string } | null;
  incomplete_details: { reason: string } | null;
  usage: ReturnType<typeof usageToWire> | null;
};

export type ResponseBody = ReturnType<typeof responseBody>;

/** A response while its answer is made. */
export const begun: Ending = { status: 'in_progress', output: [], error: null, incomplete_details: null, usage: null };

export function responseBody({ id, createdAt, model, store, settings }: ResponseHead, ending: Ending) {
  return { id, object: 'response', created_at: createdAt, model, ...ending, ...settings, store };
}

/** Of an answer that ended by itself or at its limit. */
export function endingOf(parts: readonly AnswerPart[], { reason, usage }: Finished, making: ItemMaking): Ending {
  const isComplete = reason === 'stop' || reason === 'tool_calls';
  const status = isComplete ? 'completed' : 'incomplete';
  return {
    status,
    output: itemsOf(parts, making, status),
    error: null,
    incomplete_details: reason === 'length' ? { reason: 'max_output_tokens' } : null,
    usage: usageToWire(usage),
  };
}

/** Of an answer that broke off. */
export function failed(
  parts: readonly AnswerPart[],
  making: ItemMaking,
  error: { code: string; message: string },
): Ending {
  const output = itemsOf(parts, making, 'incomplete');
  return { status: 'failed', output, error, incomplete_details: null, usage: null };
}

function itemsOf(parts: readonly AnswerPart[], making: ItemMaking, last: 'completed' | 'incomplete'): OutputItem[] {
  return parts.map((part, index) => outputItem(part, index, making, index === parts.length - 1 ? last : 'completed'));
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
