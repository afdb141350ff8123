import type { ChatMessage, ReasoningEffort, ResponseFormat, ToolChoice, ToolDefinition, UserPart } from '#engine';
import { readBody } from '#http';
import { type Fault, fault } from '#kernel';
import { chatDefaults } from '#models';
import type { TextRequest } from '../../model-request.ts';
import { readImageUrl, userMessage } from '../shared/images.ts';
import { type CohereChatBody, type CohereMessage, cohereChatSchema } from './chat-request.contract.ts';

/** Reads the body of P/cohere/v2/chat. Unknown fields are ignored. */
export function readCohereChat(sent: unknown): TextRequest {
  const body = readBody(cohereChatSchema, sent);
  const tools = readTools(body);
  return {
    model: body.model,
    prompt: {
      messages: body.messages.map((message, index) => readMessage(message, `messages[${index}]`)),
      tools,
      toolChoice: readToolChoice(body, tools),
      parallelToolCalls: true,
      responseFormat: readResponseFormat(body),
      reasoningEffort: readEffort(body),
      effortIsHint: true,
    },
    sampling: readSampling(body),
    stream: body.stream ?? false,
  };
}

function refuse(param: string, message: string): Fault {
  return fault('invalid_request', { param, message: `${param}: ${message}` });
}

type Part = { text: string } | { document: { data: string | Record<string, unknown> } };

function textOf(content: string | readonly Part[]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => ('text' in part ? part.text : documentText(part.document.data))).join('\n');
}

const documentText = (data: string | Record<string, unknown>) =>
  typeof data === 'string' ? data : JSON.stringify(data);

type UserContent = Extract<CohereMessage, { role: 'user' }>['content'];

function readUser(content: UserContent, path: string): ChatMessage {
  if (typeof content === 'string') return { role: 'user', content };
  return userMessage(
    content.map((part, index): UserPart => {
      if (part.type === 'text') return part;
      const { url, detail } = part.image_url;
      const param = `${path}[${index}].image_url.url`;
      return { type: 'image', image: readImageUrl(url, { param, detail, refuse }) };
    }),
  );
}

function readMessage(message: CohereMessage, path: string): ChatMessage {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: textOf(message.content) };
    case 'user':
      return readUser(message.content, `${path}.content`);
    case 'tool':
      return { role: 'tool', content: textOf(message.content), toolCallId: message.tool_call_id };
    case 'assistant': {
      const parts = typeof message.content === 'string' ? [{ text: message.content }] : (message.content ?? []);
      const thoughts = parts.flatMap((part) => ('thinking' in part ? part.thinking : []));
      return {
        role: 'assistant',
        content: textOf(parts.filter((part) => 'text' in part)),
        reasoning: [...thoughts, message.tool_plan ?? ''].filter((thought) => thought !== '').join('\n') || null,
        toolCalls: (message.tool_calls ?? []).map(({ id, function: called }) => ({ id, ...called })),
      };
    }
  }
}

function readTools({ tools, strict_tools: strict }: CohereChatBody): ToolDefinition[] {
  const names = new Set<string>();
  return (tools ?? []).map(({ function: { name, description, parameters } }, index) => {
    if (names.has(name)) throw refuse(`tools[${index}].function.name`, 'two tools have this name');
    names.add(name);
    const definition = { name, description: description ?? null, parameters: parameters ?? null };
    return typeof strict === 'boolean' ? { ...definition, strict } : definition;
  });
}

function readToolChoice({ tool_choice: choice }: CohereChatBody, tools: readonly ToolDefinition[]): ToolChoice {
  if (choice === 'REQUIRED' && tools.length === 0) throw refuse('tool_choice', '"REQUIRED" needs tools');
  return { mode: choice === 'REQUIRED' ? 'required' : choice === 'NONE' ? 'none' : 'auto' };
}

function readResponseFormat({ response_format: format }: CohereChatBody): ResponseFormat {
  if (format?.type !== 'json_object') return { type: 'text' };
  const schema = format.json_schema ?? format.schema;
  return schema ? { type: 'json_schema', schema } : { type: 'json_object' };
}

/** Left out, there are no thoughts: clients take the first part for the answer. */
function readEffort({ thinking }: CohereChatBody): ReasoningEffort {
  return thinking?.type === 'enabled' ? 'high' : 'none';
}

function readSampling(body: CohereChatBody): TextRequest['sampling'] {
  const { k, thinking } = body;
  return {
    maxTokens: body.max_tokens ?? chatDefaults.max_tokens,
    temperature: body.temperature ?? chatDefaults.temperature,
    topP: body.p ?? chatDefaults.top_p,
    topK: k == null || k === 0 ? null : k,
    presencePenalty: body.presence_penalty ?? 0,
    frequencyPenalty: body.frequency_penalty ?? 0,
    // A number of JSON is exact up to 53 bits.
    seed: body.seed == null ? null : body.seed % 2 ** 53,
    stop: body.stop_sequences ?? [],
    ...(thinking?.token_budget == null ? {} : { maxReasoningTokens: thinking.token_budget }),
  };
}
