import type { ChatMessage, ToolChoice, ToolDefinition } from '../port.ts';

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
