import type {
  ChatMessage,
  LogitBias,
  ReasoningEffort,
  ResponseFormat,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  UserPart,
} from '#engine';
import { readBody } from '#http';
import { isFields } from '#kernel';
import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { refuse } from '../openai/refuse.ts';
import type { SamplingBody } from '../openai/sampling.contract.ts';
import { readImageUrl, userMessage } from '../shared/images.ts';
import {
  type ChatCompletionBody,
  type ChatMessageBody,
  chatRequestSchema,
  type ToolsBody,
} from './chat-request.contract.ts';

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
    sampling: { ...readSampling(body), ...readLogprobs(body) },
    ...(body.n == null || body.n === 1 ? {} : { choices: body.n }),
    stream,
    includeUsage: stream && (body.stream_options?.include_usage ?? false),
  };
}

/** Sampling fields shared by chat and legacy completions, with the defaults that the catalogue publishes. */
export function readSampling(body: SamplingBody): TextRequest['sampling'] {
  const { top_k: topK, min_p: minP, repetition_penalty: repetitionPenalty } = body;
  const logitBias = readLogitBias(body.logit_bias ?? {});
  return {
    maxTokens: readMaxTokens(body),
    temperature: body.temperature ?? chatDefaults.temperature,
    topP: body.top_p ?? chatDefaults.top_p,
    ...(topK != null && topK > 0 ? { topK } : {}),
    ...(minP == null ? {} : { minP }),
    ...(repetitionPenalty == null ? {} : { repetitionPenalty }),
    ...(logitBias.length === 0 ? {} : { logitBias }),
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    // A remote engine is sent the number, and a number of JSON is exact up to 53 bits.
    seed: body.seed == null ? null : body.seed % 2 ** 53,
    stop: [body.stop ?? []].flat(),
  };
}

function readMaxTokens({ max_tokens: named, max_completion_tokens: alias }: SamplingBody): number {
  if (named != null && alias != null && named !== alias)
    throw refuse('max_completion_tokens', 'differs from max_tokens; send one of them');
  return named ?? alias ?? chatDefaults.max_tokens;
}

/** No vocabulary has more tokens than 31 bits count. */
const tokenNumber = /^(0|[1-9]\d{0,8})$/;

function readLogitBias(sent: Record<string, number>): LogitBias[] {
  return Object.entries(sent).flatMap(([key, bias]) => {
    if (!tokenNumber.test(key))
      throw refuse('logit_bias', `${JSON.stringify(key).slice(0, 40)} is no number of a token`);
    return bias === 0 ? [] : { token: Number(key), bias };
  });
}

function readLogprobs({ logprobs, top_logprobs: top }: ChatCompletionBody): { logprobs?: number } {
  if (logprobs) return { logprobs: top ?? 0 };
  if (top) throw refuse('top_logprobs', 'needs logprobs: true');
  return {};
}

/** Options of streams are not looked at where there is no stream. */
function withoutIdleOptions(sent: unknown): unknown {
  if (!isFields(sent) || sent.stream) return sent;
  const { stream_options: _, ...others } = sent;
  return others;
}

/** Omitted and null mean that nothing is sent to the model, which is not the same as `none`. */
export function readReasoningEffort({
  reasoning_effort: effort,
}: Pick<ChatCompletionBody, 'reasoning_effort'>): ReasoningEffort {
  return effort ?? null;
}

function readResponseFormat(format: ChatCompletionBody['response_format']): ResponseFormat {
  if (format?.type !== 'json_schema') return { type: format?.type ?? 'text' };
  const { schema } = format.json_schema;
  // OpenAI lets the schema be absent; then any JSON object fits.
  return schema ? { type: 'json_schema', schema } : { type: 'json_object' };
}

type AssistantBody = Extract<ChatMessageBody, { role: 'assistant' }>;
type Content = NonNullable<AssistantBody['content']>;

/** A message of every role of the OpenAI shape; text parts are joined with newlines. */
function readMessage(message: ChatMessageBody, path: string): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) };
    case 'user':
      return readUser(message.content, `${path}.content`);
    case 'tool':
      return { role: 'tool', content: textOf(message.content), toolCallId: message.tool_call_id };
    case 'assistant':
      return readAssistant(message, path);
  }
}

type UserContent = Extract<ChatMessageBody, { role: 'user' }>['content'];

function readUser(content: UserContent, path: string): ChatMessage {
  if (typeof content === 'string') return { role: 'user', content };
  return userMessage(
    content.map((part, index): UserPart => {
      if (part.type !== 'image_url') return { type: 'text', text: part.type === 'text' ? part.text : part.refusal };
      const { url, detail } = part.image_url;
      const param = `${path}[${index}].image_url.url`;
      return { type: 'image', image: readImageUrl(url, { param, detail, refuse }) };
    }),
  );
}

function readAssistant(message: AssistantBody, path: string): ChatMessage {
  const { content } = message;
  const toolCalls = (message.tool_calls ?? []).map(readToolCall);
  if (content == null && toolCalls.length === 0 && typeof message.refusal !== 'string')
    throw refuse(`${path}.content`, 'expected a string or a list of text parts');
  return {
    role: 'assistant',
    content: content == null ? '' : textOf(content),
    reasoning: readReasoning(message),
    toolCalls,
  };
}

/** Tool loops send reasoning back; the chat template decides what becomes of it. */
function readReasoning({ reasoning_content: named, reasoning }: AssistantBody): string | null {
  const value = named ?? reasoning;
  return typeof value === 'string' && value !== '' ? value : null;
}

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : part.refusal)).join('\n');
}

/** Arguments that do not parse are history that a model produced; they are passed on as they are. */
function readToolCall({
  id,
  function: { name, arguments: args },
}: NonNullable<AssistantBody['tool_calls']>[number]): ToolCall {
  return { id, name, arguments: args };
}

/** Reads `tools`: functions with unique names; an empty list is the same as none. */
function readTools(sent: ToolsBody): ToolDefinition[] {
  const names = new Set<string>();
  return sent.map(({ function: { name, description, parameters, strict } }, index) => {
    if (names.has(name)) throw refuse(`tools[${index}].function.name`, 'two tools have this name');
    names.add(name);
    return {
      name,
      description: description ?? null,
      parameters: parameters ?? null,
      ...(typeof strict === 'boolean' ? { strict } : {}),
    };
  });
}

/** Reads `tool_choice`; what it forces must be possible with the tools that were sent. */
function readToolChoice(
  choice: NonNullable<ChatCompletionBody['tool_choice']>,
  tools: readonly ToolDefinition[],
): ToolChoice {
  if (choice === 'required' && tools.length === 0) throw refuse('tool_choice', '"required" needs tools');
  if (typeof choice === 'string') return { mode: choice };
  const { name } = choice.function;
  if (!tools.some((tool) => tool.name === name)) throw refuse('tool_choice', 'names a tool that was not sent');
  return { mode: 'named', name };
}
