import { type Fields, isDeeperThan, isFields, isStorable, parseExactJson } from '#kernel';
import type { ExampleTool } from './example-content.ts';
import type { IssueList } from './issues.ts';
import { pointerTo } from './json-fields.ts';

export type ToolSet = {
  wire: ExampleTool[] | null;
  /** What the arguments of a call must fit; null: the tool says nothing of them; undefined: there is no such tool. */
  schemaOf: (name: string) => Fields | null | undefined;
};

const maxTools = 128;
/** Deeper values are refused: reading and writing them recurses, and would need a stack without bound. */
const maxSchemaDepth = 64;
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads a list of function tools, in the OpenAI shape or as bare functions; a JSON text of such a list is one, too. */
export function readTools(value: unknown, list: IssueList): ToolSet {
  const sent = parsed(value);
  if (sent === undefined || sent === null) return { wire: null, schemaOf: () => undefined };
  const schemas = new Map<string, Fields | null>();
  if (!Array.isArray(sent)) {
    list.add('wrong_type', '/tools', 'Expected a list of function tools.');
    return { wire: null, schemaOf: () => undefined };
  }
  if (sent.length > maxTools) list.add('too_large', '/tools', `Expected at most ${maxTools} tools.`);
  const wire = sent.slice(0, maxTools).flatMap((tool, index) => {
    const read = readTool(tool, pointerTo('/tools', index), list);
    if (read) schemas.set(read.function.name, read.function.parameters ?? null);
    return read ? [read] : [];
  });
  return { wire: wire.length === 0 ? null : wire, schemaOf: (name) => schemas.get(name) };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return null;
  try {
    return parseExactJson(value);
  } catch {
    return value;
  }
}

function readTool(tool: unknown, pointer: string, list: IssueList): ExampleTool | null {
  const spec = isFields(tool) && isFields(tool.function) ? tool.function : tool;
  if (!isFields(spec) || typeof spec.name !== 'string' || !namePattern.test(spec.name)) {
    list.add('wrong_type', pointer, 'Expected a function tool with a name of letters, digits, "_" or "-".');
    return null;
  }
  const { name, description } = spec;
  const { parameters } = spec;
  if (isDeeperThan(parameters, maxSchemaDepth)) {
    list.add('wrong_type', `${pointer}/function/parameters`, 'This schema is nested too deeply.');
    return null;
  }
  return {
    function: {
      ...(typeof description === 'string' && isStorable(description) ? { description } : {}),
      name,
      // In the order of the caller: chat templates show it, in training as in serving.
      ...(isFields(parameters) ? { parameters } : {}),
    },
    type: 'function',
  };
}
