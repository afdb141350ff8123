import { isExactNumber, parseExactJson } from '#kernel';
import type { ToolDefinition } from '../../port.ts';
import { areTexts } from '../schema-references.ts';
import type { ParsedCall } from './call-format.ts';
import { pythonToJson } from './python-literal.ts';

/** undefined where the text is not JSON. Numbers keep their digits, and keys their order. */
export function parseJson(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Record<string, unknown> | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value)) return null;
  // A JSON object: checked on the line above.
  return value as Record<string, unknown>;
}

/** A call with these arguments, an object or the text of one. null where they are none, or nest too deeply to be written. */
export function callOf(name: string, given: unknown): ParsedCall | null {
  const value = asObject(typeof given === 'string' ? parseJson(given) : given);
  if (value === null) return null;
  try {
    return { name, arguments: JSON.stringify(value) };
  } catch {
    return null;
  }
}

export function isKnown(tools: readonly ToolDefinition[], name: string): boolean {
  return tools.some((tool) => tool.name === name);
}

/** The value of a parameter with these types by its schema, of which only the text was written. */
export function typedValue(text: string, types: readonly unknown[]): unknown {
  if (areTexts(types)) return text;
  // Some templates write values as Python does.
  const value = parseJson(text) ?? parseJson(pythonToJson(text) ?? '');
  if (value === undefined) return text;
  const type =
    value === null ? 'null' : Array.isArray(value) ? 'array' : isExactNumber(value) ? 'number' : typeof value;
  return types.includes(type) || (type === 'number' && types.includes('integer')) ? value : text;
}

/** As Python writes JSON, and so nearly all templates: with a blank behind commas and colons. */
export function spacedJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedJson).join(', ')}]`;
  const fields = asObject(value);
  if (fields === null) return JSON.stringify(value);
  return `{${Object.entries(fields)
    .map(([key, item]) => `${JSON.stringify(key)}: ${spacedJson(item)}`)
    .join(', ')}}`;
}
