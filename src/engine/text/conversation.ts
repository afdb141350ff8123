import { isDeeperThan, isFields, parseExactJson } from '#kernel';
import type { ChatMessage, ToolCall, ToolDefinition } from '../port.ts';

/** A message in the form chat templates read (the OpenAI form, arguments as objects). */
export type TemplateMessage = {
  role: string;
  content: string;
  reasoning_content?: string;
  tool_calls?: { id: string; type: 'function'; function: { name: string; arguments: unknown } }[];
  tool_call_id?: string;
  name?: string;
};

const maxArgumentsDepth = 64;

export function toTemplateMessages(messages: readonly ChatMessage[]): TemplateMessage[] {
  const namesById = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls) namesById.set(call.id, call.name);
  }
  return messages.map((message) => toTemplateMessage(message, namesById));
}

function toTemplateMessage(message: ChatMessage, namesById: ReadonlyMap<string, string>): TemplateMessage {
  const { role, content } = message;
  if (role === 'assistant') {
    return {
      role,
      content,
      ...(message.reasoning === null ? {} : { reasoning_content: message.reasoning }),
      ...(message.toolCalls.length === 0 ? {} : { tool_calls: message.toolCalls.map(toTemplateCall) }),
    };
  }
  if (role !== 'tool') return { role, content };
  const name = namesById.get(message.toolCallId);
  return { role, content, tool_call_id: message.toolCallId, ...(name === undefined ? {} : { name }) };
}

/** OpenAI function objects. A tool without parameters gets an empty object schema, which all templates can read. */
export function toTemplateTools(tools: readonly ToolDefinition[]): unknown[] {
  return tools.map((tool) => ({
    type: 'function',
    function: {
      name: tool.name,
      ...(tool.description === null ? {} : { description: tool.description }),
      parameters: tool.parameters ?? { type: 'object', properties: {} },
    },
  }));
}

export function toolInstructions(tools: readonly ToolDefinition[]): ChatMessage {
  const functions = toTemplateTools(tools).map((tool) => JSON.stringify(tool));
  const content = [
    'You can call these functions:',
    ...functions,
    'To call one, write <tool_call>{"name": NAME, "arguments": OBJECT}</tool_call>.',
  ];
  return { role: 'system', content: content.join('\n') };
}

function toTemplateCall(call: ToolCall): NonNullable<TemplateMessage['tool_calls']>[number] {
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: parsedArguments(call.arguments) },
  };
}

/** The object where the text is one; models also leave broken arguments in a history, which stay text. */
function parsedArguments(text: string): unknown {
  try {
    const value = parseExactJson(text);
    return isFields(value) && !isDeeperThan(value, maxArgumentsDepth) ? value : text;
  } catch {
    return text;
  }
}

/** Merged for templates that want the system message first and turns that alternate. Nothing is dropped. */
export function mergeTurns(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const system = messages.filter((message) => message.role === 'system').map((message) => message.content);
  const merged: TemplateMessage[] = system.length === 0 ? [] : [{ role: 'system', content: system.join('\n\n') }];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'system') continue;
    if (last === undefined || last.role !== message.role || message.role === 'tool') merged.push(message);
    else merged[merged.length - 1] = joinTurns(last, message);
  }
  return merged;
}

function joinTurns(first: TemplateMessage, second: TemplateMessage): TemplateMessage {
  const reasoning = joinTexts([first.reasoning_content ?? '', second.reasoning_content ?? '']);
  const calls = [...(first.tool_calls ?? []), ...(second.tool_calls ?? [])];
  return {
    role: first.role,
    content: joinTexts([first.content, second.content]),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** For templates that know only user and assistant turns in strict alternation: everything else is told as text. */
export function plainTurns(messages: readonly TemplateMessage[]): TemplateMessage[] {
  const plain = mergeTurns(messages).map((message): TemplateMessage => {
    if (message.role !== 'assistant') return { role: 'user', content: message.content };
    const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: given } }) => {
      const text = typeof given === 'string' ? given : JSON.stringify(given);
      return `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${text}}\n</tool_call>`;
    });
    return { role: 'assistant', content: joinTexts([message.content, ...calls]) };
  });
  const first: TemplateMessage[] = plain[0]?.role === 'assistant' ? [{ role: 'user', content: '' }] : [];
  return mergeTurns([...first, ...plain]);
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
