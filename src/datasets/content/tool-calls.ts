import { isFields, isStorable, parseExactJson } from '#kernel';
import type { ExampleToolCall } from './example-content.ts';
import type { IssueList } from './issues.ts';
import { pointerTo } from './json-fields.ts';
import { findMismatch } from './tool-arguments.ts';
import type { ToolSet } from './tool-set.ts';

type ReadContext = { pointer: string; tools: ToolSet; list: IssueList };

export function readToolCalls(value: unknown, context: ReadContext): ExampleToolCall[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    context.list.add('wrong_type', context.pointer, 'Expected a list of tool calls.');
    return [];
  }
  return value.flatMap((call, index) => {
    const read = readToolCall(call, index, { ...context, pointer: pointerTo(context.pointer, index) });
    return read ? [read] : [];
  });
}

function readToolCall(call: unknown, index: number, context: ReadContext): ExampleToolCall | null {
  const { pointer, list } = context;
  const spec = isFields(call) && isFields(call.function) ? call.function : null;
  if (!isFields(call) || !spec || typeof spec.name !== 'string' || !isStorable(spec.name)) {
    list.add('wrong_type', pointer, 'Expected a function call with a name and arguments.');
    return null;
  }
  const args = readArguments(spec.arguments, { ...context, pointer: `${pointer}/function` }, spec.name);
  if (args === null) return null;
  const id = typeof call.id === 'string' && call.id !== '' && isStorable(call.id) ? call.id : `call_${index + 1}`;
  return { function: { arguments: args, name: spec.name }, id, type: 'function' };
}

function readArguments(value: unknown, { pointer: call, tools, list }: ReadContext, name: string): string | null {
  const pointer = `${call}/arguments`;
  const schema = tools.schemaOf(name);
  const text = typeof value === 'string' ? value : writtenOut(value ?? {});
  const parsed = text === null ? undefined : parse(text);
  if (text === null || parsed === undefined) {
    list.add('tool_arguments_invalid', pointer, 'The arguments are not JSON.');
    return null;
  }
  if (schema === undefined)
    list.add(
      'tool_unknown',
      `${call}/name`,
      `The conversation has no tool ${JSON.stringify(name)}.`,
      'Add it to tools.',
    );
  else if (!isFields(parsed)) list.add('tool_arguments_invalid', pointer, 'The arguments are not an object.');
  else {
    const problem = schema && findMismatch(schema, parsed);
    if (problem) list.add('tool_arguments_invalid', pointer, `The arguments do not fit the tool: ${problem}.`);
  }
  return text;
}

function parse(text: string): unknown {
  try {
    return isStorable(text) ? parseExactJson(text) : undefined;
  } catch {
    return undefined;
  }
}

/** Null: it is too deep, or no JSON at all. */
function writtenOut(value: unknown): string | null {
  try {
    return JSON.stringify(value) ?? null;
  } catch {
    return null;
  }
}
