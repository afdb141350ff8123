import { fault } from '#kernel';
import type { ChatImage, ChatMessage, Sampling, ToolChoice, ToolDefinition } from '../port.ts';

/** A JSON object of an engine: any field may be there and be anything. */
export type JsonFields = Record<string, unknown>;

export function fieldsOf(value: unknown): JsonFields {
  // as: any object can be read by names.
  return isObject(value) ? (value as JsonFields) : {};
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What a usage record can hold, and far more than any context has. */
const maxCount = 2 ** 31 - 1;

/** Null for what is no count, or none that can be. */
export function countOf(value: unknown): number | null {
  const isCount = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= maxCount;
  return isCount ? value : null;
}

/** A message in the shape of the OpenAI family, in which engines take it, calls are stored and examples come. */
export function messageToWire(message: ChatMessage): JsonFields {
  const { role, content } = message;
  if (role === 'tool') return { role, content, tool_call_id: message.toolCallId };
  if (role !== 'assistant') return { role, content };
  const toolCalls = message.toolCalls.map(({ id, name, arguments: text }) => ({
    id,
    type: 'function',
    function: { name, arguments: text },
  }));
  return {
    role,
    content,
    ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
    ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
  };
}

/** The images of a conversation, in its order. Only routes read them. */
export function imagesOf(messages: readonly ChatMessage[]): ChatImage[] {
  const parts = messages.flatMap((message) => ('parts' in message ? (message.parts ?? []) : []));
  return parts.flatMap((part) => (part.type === 'image' ? part.image : []));
}

/** With the images, which are not stored anywhere. */
export function messageForEngine(message: ChatMessage): JsonFields {
  const { parts } = { parts: undefined, ...message };
  if (parts === undefined) return messageToWire(message);
  const content = parts.map((part) => {
    if (part.type === 'text') return part;
    const { mediaType, base64, detail } = part.image;
    return {
      type: 'image_url',
      image_url: { url: `data:${mediaType};base64,${base64}`, ...(detail ? { detail } : {}) },
    };
  });
  return { role: message.role, content };
}

export function toolToWire({ name, description, parameters, strict }: ToolDefinition): JsonFields {
  return {
    type: 'function',
    function: {
      name,
      ...(description === null ? {} : { description }),
      ...(parameters === null ? {} : { parameters }),
      ...(strict === undefined ? {} : { strict }),
    },
  };
}

export function toolChoiceToWire(choice: ToolChoice): unknown {
  return choice.mode === 'named' ? { type: 'function', function: { name: choice.name } } : choice.mode;
}

/** Names of settings that OpenAI's routes do not have. */
export type SamplingNames = { topK: string; minP: string; repetitionPenalty: string };

/** As vLLM names them. */
export const samplingNames: SamplingNames = {
  topK: 'top_k',
  minP: 'min_p',
  repetitionPenalty: 'repetition_penalty',
};

/**
 * The sampling of a call, as an engine takes it. Only what the caller chose is sent: the engine has defaults of its own for the rest. Throws
 * where it has no field for what was chosen.
 */
export function samplingFields(sampling: Sampling, names: SamplingNames | null): JsonFields {
  const {
    maxTokens,
    temperature,
    topP,
    presencePenalty,
    frequencyPenalty,
    seed,
    stop,
    logitBias = [],
    logprobs,
  } = sampling;
  return {
    ...(Number.isFinite(maxTokens) ? { max_tokens: maxTokens } : {}),
    temperature,
    top_p: topP,
    ...(presencePenalty === 0 ? {} : { presence_penalty: presencePenalty }),
    ...(frequencyPenalty === 0 ? {} : { frequency_penalty: frequencyPenalty }),
    ...(seed === null ? {} : { seed }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(logitBias.length === 0
      ? {}
      : { logit_bias: Object.fromEntries(logitBias.map(({ token, bias }) => [token, bias])) }),
    ...(logprobs === undefined ? {} : { logprobs: true, ...(logprobs === 0 ? {} : { top_logprobs: logprobs }) }),
    ...namedFields(sampling, names),
  };
}

function namedFields(
  { topP, topK = null, minP = 0, repetitionPenalty = 1 }: Sampling,
  names: SamplingNames | null,
): JsonFields {
  if (names === null) {
    if (topK !== null) throw lacks('top_k');
    if (minP !== 0) throw lacks('min_p');
    if (repetitionPenalty !== 1) throw lacks('repetition_penalty');
    return {};
  }
  return {
    // Most refuse a `top_p` of 0, which is the most likely token.
    ...(topP === 0 ? { top_p: 1, [names.topK]: 1 } : topK === null ? {} : { [names.topK]: topK }),
    ...(minP === 0 ? {} : { [names.minP]: minP }),
    ...(repetitionPenalty === 1 ? {} : { [names.repetitionPenalty]: repetitionPenalty }),
  };
}

function lacks(param: string) {
  return fault('invalid_request', {
    param,
    message: `${param}: the engine that serves this model has no such setting; leave it out`,
  });
}
