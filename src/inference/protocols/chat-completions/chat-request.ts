import type { ReasoningEffort, ResponseFormat } from '#engine';
import { readBody } from '#http';
import { isFields } from '#kernel';
import type { TextRequest } from '../../model-request.ts';
import { readSampling } from '../openai/sampling.ts';
import { readMessage } from './chat-messages.ts';
import { type ChatBody, chatRequestSchema } from './chat-request.contract.ts';
import { readToolChoice, readTools } from './chat-tools.ts';

export type ChatRequest = TextRequest & { includeUsage: boolean };

/** Reads the body of P/chat/completions. Unknown fields are ignored; known ones that ask for what we cannot do are refused. */
export function readChatRequest(sent: unknown): ChatRequest {
  const body = readBody(chatRequestSchema, withoutIdleOptions(sent));
  const messages = body.messages.map((message, index) => readMessage(message, `messages[${index}]`));
  const tools = readTools(body.tools ?? []);
  const stream = body.stream ?? false;
  return {
    model: body.model,
    prompt: {
      messages,
      tools,
      toolChoice: readToolChoice(body.tool_choice ?? 'auto', tools),
      parallelToolCalls: body.parallel_tool_calls ?? true,
      responseFormat: readResponseFormat(body.response_format),
      reasoningEffort: readReasoningEffort(body),
    },
    sampling: readSampling(body),
    stream,
    includeUsage: stream && (body.stream_options?.include_usage ?? false),
  };
}

/** Options of streams are not looked at where there is no stream. */
function withoutIdleOptions(sent: unknown): unknown {
  if (!isFields(sent) || sent.stream) return sent;
  const { stream_options: _, ...others } = sent;
  return others;
}

/** Omitted and null mean that nothing is sent to the model, which is not the same as `none`. */
export function readReasoningEffort({ reasoning_effort: effort }: Pick<ChatBody, 'reasoning_effort'>): ReasoningEffort {
  return effort ?? null;
}

function readResponseFormat(format: ChatBody['response_format']): ResponseFormat {
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  const { schema } = format.json_schema;
  // OpenAI lets the schema be absent; then any JSON object fits.
  return schema ? { type: 'json_schema', schema } : { type: 'json_object' };
}
