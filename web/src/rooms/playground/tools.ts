import { isExactNumber, parseExactJson } from '../../api/exact-json.ts';

export type Tool = {
  type: 'function';
  function: { name: string; description?: string | null; parameters?: Record<string, unknown> | null };
};

/** Parses tools that somebody typed; empty text is null. Throws like `parseExactJson`. */
export function readTools(text: string): Tool[] | null {
  if (text.trim() === '') return null;
  const value = parseExactJson(text);
  if (!Array.isArray(value)) throw new SyntaxError('Expected a list.');
  // as: the server validates the tools.
  return value.length === 0 ? null : (value as Tool[]);
}

/** Parses a JSON object that somebody typed. Throws like `parseExactJson`. */
export function readObject(text: string): Record<string, unknown> {
  const value = parseExactJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isExactNumber(value))
    throw new SyntaxError('Expected an object.');
  // as: objects of JSON have text keys.
  return value as Record<string, unknown>;
}
