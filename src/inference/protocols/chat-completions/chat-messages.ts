import type { ChatMessage, ToolCall } from '#engine';
import { type Fields, isFields } from '#kernel';
import { given, refuse } from '../openai/fields.ts';

/** Reads `messages`: every role of the OpenAI shape, text parts joined with newlines, media parts refused. */
export function readMessages(fields: Fields): ChatMessage[] {
  const value = given(fields, 'messages');
  if (!Array.isArray(value) || value.length === 0)
    throw refuse('messages', 'expected a list with at least one message');
  return value.map((message, index) => readMessage(message, `messages[${index}]`));
}

function readMessage(message: unknown, path: string): ChatMessage {
  if (!isFields(message)) throw refuse(path, 'expected an object with role and content');
  const role = message.role;
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', content: readContent(message, path) };
    case 'user':
      return { role: 'user', content: readContent(message, path) };
    case 'assistant':
      return readAssistant(message, path);
    case 'tool':
      return { role: 'tool', content: readContent(message, path), toolCallId: readToolCallId(message, path) };
    case 'function':
      throw refuse(`${path}.role`, 'functions are deprecated, use tools');
    default:
      throw refuse(`${path}.role`, 'expected "system", "developer", "user", "assistant" or "tool"');
  }
}

function readAssistant(message: Fields, path: string): ChatMessage {
  const toolCalls = readToolCalls(message, path);
  const isEmpty = given(message, 'content') === undefined;
  if (isEmpty && toolCalls.length === 0 && typeof message.refusal !== 'string') {
    throw refuse(`${path}.content`, 'expected a string or a list of text parts');
  }
  return {
    role: 'assistant',
    content: isEmpty ? '' : readContent(message, path),
    reasoning: readReasoning(message),
    toolCalls,
  };
}

/** Tool loops send reasoning back; the chat template decides what becomes of it. */
function readReasoning(message: Fields): string | null {
  const value = given(message, 'reasoning_content') ?? given(message, 'reasoning');
  return typeof value === 'string' && value !== '' ? value : null;
}

function readContent(message: Fields, path: string): string {
  const content = message.content;
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw refuse(`${path}.content`, 'expected a string or a list of text parts');
  return content.map((part) => readPart(part, `${path}.content`)).join('\n');
}

function readPart(part: unknown, path: string): string {
  if (!isFields(part)) throw refuse(path, 'expected text parts');
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  if (part.type === 'refusal' && typeof part.refusal === 'string') return part.refusal;
  if (part.type === 'text') throw refuse(path, 'expected a string as text of a part');
  throw refuse(path, `this model reads text only, not parts of type ${JSON.stringify(part.type ?? null).slice(0, 40)}`);
}

function readToolCallId(message: Fields, path: string): string {
  if (typeof message.tool_call_id !== 'string') throw refuse(`${path}.tool_call_id`, 'expected a string');
  return message.tool_call_id;
}

function readToolCalls(message: Fields, path: string): ToolCall[] {
  const calls = given(message, 'tool_calls');
  if (calls === undefined) return [];
  if (!Array.isArray(calls)) throw refuse(`${path}.tool_calls`, 'expected a list');
  return calls.map((call, index) => readToolCall(call, `${path}.tool_calls[${index}]`));
}

function readToolCall(call: unknown, path: string): ToolCall {
  if (!isFields(call) || !isFields(call.function)) throw refuse(path, 'expected a function call');
  if (call.type !== undefined && call.type !== 'function') throw refuse(`${path}.type`, 'expected "function"');
  const { name, arguments: args } = call.function;
  if (typeof name !== 'string' || name === '') throw refuse(`${path}.function.name`, 'expected a non-empty string');
  // Arguments that do not parse are history that a model produced; they are passed on as they are.
  if (typeof args !== 'string') throw refuse(`${path}.function.arguments`, 'expected a string holding JSON');
  if (typeof call.id !== 'string') throw refuse(`${path}.id`, 'expected a string');
  return { id: call.id, name, arguments: args };
}
