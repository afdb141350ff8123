import type { ChatMessage, ToolCall } from '#engine';
import { refuse } from '../openai/refuse.ts';
import type { MessageBody } from './chat-request.contract.ts';

type AssistantBody = Extract<MessageBody, { role: 'assistant' }>;
type Content = NonNullable<AssistantBody['content']>;

/** A message of every role of the OpenAI shape; text parts are joined with newlines. */
export function readMessage(message: MessageBody, path: string): ChatMessage {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: textOf(message.content) };
    case 'user':
      return { role: 'user', content: textOf(message.content) };
    case 'tool':
      return { role: 'tool', content: textOf(message.content), toolCallId: message.tool_call_id };
    case 'assistant':
      return readAssistant(message, path);
  }
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
