import { parseExactJson } from '../../api/exact-json.ts';
import type { TextContent } from './example.ts';

type Message = TextContent['messages'][number];

export type ToolCall = { id: string | null; name: string; args: string };

/** A call of a tool in the OpenAI shape; its arguments with line breaks where they are JSON. */
export function toolCallOf(call: Record<string, unknown>): ToolCall {
  const { id, function: called } = call;
  const { name, arguments: args } = fieldsOf(called);
  return { id: typeof id === 'string' ? id : null, name: String(name ?? ''), args: printed(args) };
}

/** The name of the tool whose call a message answers; null: no message before it has such a call. */
export function answeredTool({ messages }: TextContent, { tool_call_id: id }: Message): string | null {
  const calls = messages.flatMap(({ tool_calls: made }) => (made ?? []).map(toolCallOf));
  return calls.findLast((call) => call.id !== null && call.id === id)?.name ?? null;
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function printed(args: unknown): string {
  if (typeof args !== 'string') return args === undefined ? '' : JSON.stringify(args, null, 2);
  try {
    return JSON.stringify(parseExactJson(args), null, 2);
  } catch {
    return args;
  }
}
