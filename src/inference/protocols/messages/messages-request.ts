import type { ReasoningEffort, ResponseFormat } from '#engine';
import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { readConversation } from './conversation.ts';
import { readRequest } from './refuse.ts';
import {
  type CountTokensBody,
  countRequestSchema,
  type MessagesBody,
  messagesRequestSchema,
} from './request.schema.ts';
import type { ThinkingSignatures } from './thinking-signature.ts';
import { allowsParallelCalls, readToolChoice, readTools } from './tools.ts';

export type MessagesRequest = TextRequest & {
  sampling: { maxTokens: number };
  /** Thoughts are made, and not shown. */
  hidesThinking: boolean;
};

/** Reads the body of messages. Unknown fields are ignored. */
export function readMessagesRequest(body: unknown, signatures: ThinkingSignatures): MessagesRequest {
  const fields = readRequest(messagesRequestSchema, body);
  const { thinking } = fields;
  return {
    model: fields.model,
    prompt: readPrompt(fields, signatures),
    sampling: readSampling(fields),
    stream: fields.stream ?? false,
    fitsContext: true,
    hidesThinking: thinking != null && 'display' in thinking && thinking.display === 'omitted',
  };
}

/** Reads the body of messages/count_tokens. */
export function readCountRequest(body: unknown, signatures: ThinkingSignatures): Pick<TextRequest, 'model' | 'prompt'> {
  const fields = readRequest(countRequestSchema, body);
  return { model: fields.model, prompt: readPrompt(fields, signatures) };
}

function readPrompt(fields: CountTokensBody, signatures: ThinkingSignatures): TextRequest['prompt'] {
  const tools = readTools(fields.tools ?? []);
  return {
    messages: readConversation(fields, signatures),
    tools,
    toolChoice: readToolChoice(fields, tools),
    parallelToolCalls: allowsParallelCalls(fields),
    responseFormat: readFormat(fields),
    reasoningEffort: readEffort(fields),
    effortIsHint: true,
  };
}

function readFormat({ output_config: config, output_format: older }: CountTokensBody): ResponseFormat {
  const format = config?.format ?? older;
  return format ? { type: 'json_schema', schema: format.schema } : { type: 'text' };
}

/** Without a word there are no thoughts: who has not asked for them takes the first block for the answer. */
function readEffort({ thinking, output_config: config }: CountTokensBody): ReasoningEffort {
  const effort = config?.effort == null ? null : config.effort === 'low' ? 'low' : 'high';
  switch (thinking?.type) {
    case 'disabled':
      return 'none';
    case 'enabled':
      return effort ?? 'high';
    case undefined:
      return effort ?? 'none';
    default:
      return effort;
  }
}

/** LangChain says -1 where nothing is meant. */
const isGiven = (value: number | null | undefined): value is number => value != null && value >= 0;

function readSampling(fields: MessagesBody): MessagesRequest['sampling'] & TextRequest['sampling'] {
  const { thinking, top_k: topK, top_p: topP } = fields;
  return {
    maxTokens: fields.max_tokens,
    temperature: fields.temperature ?? chatDefaults.temperature,
    topP: isGiven(topP) ? topP : chatDefaults.top_p,
    topK: isGiven(topK) && topK > 0 ? topK : null,
    presencePenalty: 0,
    frequencyPenalty: 0,
    seed: null,
    stop: fields.stop_sequences ?? [],
    ...(thinking?.type === 'enabled' && thinking.budget_tokens != null
      ? { maxReasoningTokens: thinking.budget_tokens }
      : {}),
  };
}
