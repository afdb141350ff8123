import type { ToolChoice, ToolDefinition } from '#engine';
import { type Fields, isFields } from '#kernel';
import { given, refuse } from '../openai/fields.ts';

const maxTools = 128;
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Reads `tools`: function tools with unique names; an empty list is the same as none. */
export function readTools(fields: Fields): ToolDefinition[] {
  const value = given(fields, 'tools');
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refuse('tools', 'expected a list of function tools');
  if (value.length > maxTools) throw refuse('tools', `expected at most ${maxTools} tools`);
  const tools = value.map((tool, index) => readTool(tool, `tools[${index}]`));
  const names = new Set<string>();
  for (const [index, { name }] of tools.entries()) {
    if (names.has(name)) throw refuse(`tools[${index}].function.name`, 'two tools have this name');
    names.add(name);
  }
  return tools;
}

function readTool(tool: unknown, path: string): ToolDefinition {
  if (!isFields(tool)) throw refuse(path, 'expected a function tool');
  if (tool.type !== 'function') throw refuse(`${path}.type`, 'expected "function"');
  if (!isFields(tool.function)) throw refuse(`${path}.function`, 'expected an object');
  const { name, description, parameters, strict } = tool.function;
  if (typeof name !== 'string' || !namePattern.test(name)) {
    throw refuse(`${path}.function.name`, 'expected 1 to 64 letters, digits, "_" or "-"');
  }
  if (description !== undefined && description !== null && typeof description !== 'string') {
    throw refuse(`${path}.function.description`, 'expected a string');
  }
  if (parameters !== undefined && parameters !== null && !isFields(parameters)) {
    throw refuse(`${path}.function.parameters`, 'expected a JSON schema object');
  }
  return {
    name,
    description: description ?? null,
    parameters: parameters ?? null,
    ...(typeof strict === 'boolean' ? { strict } : {}),
  };
}

/** Reads `tool_choice`; what it forces must be possible with the tools that were sent. */
export function readToolChoice(fields: Fields, tools: readonly ToolDefinition[]): ToolChoice {
  const value = given(fields, 'tool_choice');
  if (value === undefined || value === 'auto') return { mode: 'auto' };
  if (value === 'none') return { mode: 'none' };
  if (value === 'required') {
    if (tools.length === 0) throw refuse('tool_choice', '"required" needs tools');
    return { mode: 'required' };
  }
  if (
    isFields(value) &&
    value.type === 'function' &&
    isFields(value.function) &&
    typeof value.function.name === 'string'
  ) {
    const { name } = value.function;
    if (!tools.some((tool) => tool.name === name)) throw refuse('tool_choice', 'names a tool that was not sent');
    return { mode: 'named', name };
  }
  throw refuse('tool_choice', 'expected "auto", "none", "required" or {"type":"function","function":{"name":...}}');
}
