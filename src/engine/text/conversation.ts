import { createHash } from 'node:crypto';
import { isDeeperThan, isFields, objectInOrder, parseExactJson } from '#kernel';
import type { ChatMessage, ToolCall, ToolDefinition } from '../port.ts';
import { namedId, type OutputFormat } from './formats/output-format.ts';

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

/** `format` tells what the template of the model reads. */
export function toTemplateMessages(sent: readonly ChatMessage[], format: OutputFormat): TemplateMessage[] {
  const messages = format.history.namedIds ? withNamedIds(sent) : sent;
  const namesById = new Map<string, string>();
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls) namesById.set(call.id, call.name);
  }
  return messages.map((message) => {
    if (message.role === 'assistant') return toAssistantMessage(message, format);
    const { role, content } = message;
    if (role !== 'tool') return { role, content };
    const name = namesById.get(message.toolCallId);
    return { role, content, tool_call_id: idOf(message.toolCallId, format), ...(name === undefined ? {} : { name }) };
  });
}

function toAssistantMessage(
  { role, content, reasoning, toolCalls }: Extract<ChatMessage, { role: 'assistant' }>,
  format: OutputFormat,
): TemplateMessage {
  const { history, calls } = format;
  const isText = history.calls === 'text';
  const written = toolCalls.map((call) => ({ name: call.name, arguments: parsedArguments(call.arguments) }));
  const texts = isText && toolCalls.length > 0 ? [content, calls.write(written)] : [content];
  return {
    role,
    content: texts.filter((text) => text !== '').join('\n'),
    ...(reasoning === null ? {} : { reasoning_content: reasoning }),
    ...(isText || toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map((call) => toTemplateCall(call, format)) }),
  };
}

/** Ids as the models write them whose templates take the name of a call from its id: `functions.NAME:NUMBER`. */
function withNamedIds(messages: readonly ChatMessage[]): ChatMessage[] {
  const idsBySent = new Map<string, string>();
  let calls = 0;
  return messages.map((message) => {
    if (message.role === 'tool')
      return { ...message, toolCallId: idsBySent.get(message.toolCallId) ?? message.toolCallId };
    if (message.role !== 'assistant') return message;
    const toolCalls = message.toolCalls.map((call) => {
      const id = namedId(call.name, calls++);
      idsBySent.set(call.id, id);
      return { ...call, id };
    });
    return { ...message, toolCalls };
  });
}

const shortId = /^[a-zA-Z0-9]{9}$/;

/** Some templates refuse ids that are not of nine letters and digits. */
function idOf(id: string, { history }: OutputFormat): string {
  if (!history.shortIds || shortId.test(id)) return id;
  return createHash('sha256').update(id).digest('hex').slice(0, 9);
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

/** The same with a description and a type of contents wherever a schema leaves them out, and with one type where it has several. */
export function completedTools(tools: readonly unknown[]): unknown[] {
  return tools.map(completedSchema);
}

function completedSchema(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(completedSchema);
  if (!isFields(value)) return value;
  const inner = objectInOrder(Object.entries(value).map(([key, item]) => [key, completedSchema(item)]));
  const types: unknown = value['type'];
  if (Array.isArray(types)) {
    const type: unknown = types.find((each) => each !== 'null') ?? 'null';
    return completedSchema(objectInOrder(Object.entries({ ...value, type })));
  }
  if (typeof types !== 'string') return inner;
  const content = { type: 'string', description: '' };
  if (types === 'array') return { description: '', ...inner, ...(isTyped(value['items']) ? {} : { items: content }) };
  if (types !== 'object' || isTyped(value['additionalProperties'])) return { description: '', ...inner };
  return { description: '', ...inner, additionalProperties: content };
}

function isTyped(schema: unknown): boolean {
  return isFields(schema) && 'type' in schema;
}

/** For templates without tools. */
export function withToolInstructions(
  [first, ...others]: readonly ChatMessage[],
  tools: readonly ToolDefinition[],
  { calls }: OutputFormat,
): ChatMessage[] {
  const functions = toTemplateTools(tools).map((tool) => JSON.stringify(tool));
  const example = calls.write([{ name: 'NAME', arguments: { ARGUMENT: 'VALUE' } }]).replace(/\s*\n\s*/g, '');
  const content = ['You can call these functions:', ...functions, `To call one, write ${example}.`].join('\n');
  if (first === undefined) return [{ role: 'system', content }];
  // Some templates have a single system message, the last one.
  if (first.role === 'system') return [{ role: 'system', content: `${content}\n\n${first.content}` }, ...others];
  return [{ role: 'system', content }, first, ...others];
}

function toTemplateCall({ id, name, arguments: text }: ToolCall, format: OutputFormat) {
  const given = format.history.argumentsAsText ? text : parsedArguments(text);
  return { id: idOf(id, format), type: 'function' as const, function: { name, arguments: given } };
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

/** For templates that want reasoning in every answer of a history: where there is none, it is empty. */
export function withReasoning(messages: readonly TemplateMessage[]): TemplateMessage[] {
  return messages.map((message) => (message.role === 'assistant' ? { reasoning_content: '', ...message } : message));
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
export function plainTurns(messages: readonly TemplateMessage[], { calls: format }: OutputFormat): TemplateMessage[] {
  const plain = mergeTurns(messages).map((message): TemplateMessage => {
    if (message.role !== 'assistant') return { role: 'user', content: message.content };
    const calls = (message.tool_calls ?? []).map(({ function: call }) => format.write([call]));
    return { role: 'assistant', content: joinTexts([message.content, ...calls]) };
  });
  const first: TemplateMessage[] = plain[0]?.role === 'assistant' ? [{ role: 'user', content: '' }] : [];
  return mergeTurns([...first, ...plain]);
}

/** With the reasoning in the field that the template reads. */
export function withReasoningField(messages: readonly TemplateMessage[], field: string): unknown[] {
  return messages.map(({ reasoning_content: reasoning, ...message }) =>
    reasoning === undefined ? message : { ...message, [field]: reasoning },
  );
}

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
