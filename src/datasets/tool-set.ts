import { Ajv, type ValidateFunction } from 'ajv';
import type { ExampleTool } from './example-content.ts';
import type { IssueList } from './issues.ts';
import { isFields, isStorable, pointerTo } from './json-fields.ts';

export type ToolSet = {
  /** Null: the conversation has no tools. */
  wire: ExampleTool[] | null;
  /** Checks the arguments of a call; undefined for a tool that is not there. */
  checkOf: (name: string) => ValidateFunction | null | undefined;
};

const maxTools = 128;
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads a list of function tools, in the OpenAI shape or as bare functions; a JSON text of such a list is one, too. */
export function readTools(value: unknown, list: IssueList): ToolSet {
  const sent = parsed(value);
  if (sent === undefined || sent === null) return { wire: null, checkOf: () => undefined };
  const checks = new Map<string, ValidateFunction | null>();
  if (!Array.isArray(sent)) {
    list.add('wrong_type', '/tools', 'Expected a list of function tools.');
    return { wire: null, checkOf: () => undefined };
  }
  if (sent.length > maxTools) list.add('too_large', '/tools', `Expected at most ${maxTools} tools.`);
  const wire = sent.slice(0, maxTools).flatMap((tool, index) => {
    const read = readTool(tool, pointerTo('/tools', index), list);
    if (read) checks.set(read.function.name, compile(read, pointerTo('/tools', index), list));
    return read ? [read] : [];
  });
  return { wire: wire.length === 0 ? null : wire, checkOf: (name) => checks.get(name) };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (value.trim() === '') return null;
  try {
    return JSON.parse(value);
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
  const { name, description, parameters } = spec;
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' && isStorable(description) ? { description } : {}),
      ...(isFields(parameters) ? { parameters } : {}),
    },
  };
}

/** Null: the tool says nothing about its arguments. */
function compile({ function: spec }: ExampleTool, pointer: string, list: IssueList): ValidateFunction | null {
  if (!spec.parameters) return null;
  try {
    // One compiler each: schemas of strangers may share ids.
    return new Ajv({ strict: false, allErrors: false, validateFormats: false }).compile(spec.parameters);
  } catch {
    list.add('wrong_type', `${pointer}/function/parameters`, 'This is not a JSON schema.');
    return null;
  }
}
