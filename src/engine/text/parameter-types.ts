import type { ToolDefinition } from '../port.ts';
import { asList, canonical, isJsonType, isSchema, type Schema } from './schema-merge.ts';
import { withPointers } from './schema-references.ts';

/** Where a schema says nothing of the type. */
const anything = 'anything';
/** References can stand for very many schemas, and for themselves. */
const mostSchemas = 100;
const mostCharacters = 65_536;
const mostCharactersOfReference = 1_000;

/** Each call of a tool asks, and its schema stays as it is. */
const roots = new WeakMap<Schema, Schema>();

/** The schema of a tool's parameters with its references as pointers, but one that is too long as it stands. */
export function rootOf({ parameters }: ToolDefinition): Schema | null {
  if (parameters === null) return null;
  const known = roots.get(parameters);
  if (known !== undefined) return known;
  const pointed = canonical(parameters).length > mostCharacters ? parameters : withPointers(parameters);
  const root = isSchema(pointed) ? pointed : parameters;
  roots.set(parameters, root);
  return root;
}

/** The JSON types that a schema names, itself or by what it refers to and its alternatives. A value has one of them, or `anything` is there. */
export function typesOf(schema: unknown, root: Schema | null, left = { schemas: mostSchemas }): unknown[] {
  left.schemas -= 1;
  if (!isSchema(schema)) return [anything];
  const { type, $ref: reference, anyOf, oneOf, allOf } = schema;
  if (type !== undefined) return asList(type);
  const target = reference === undefined ? [] : [definitionOf(reference, root)];
  const parts = [...target, ...[anyOf, oneOf, allOf].flatMap(asList)];
  if (parts.length === 0 || parts.length > left.schemas) return [anything];
  return parts.flatMap((part) => typesOf(part, root, left));
}

/** Whether all values are written as JSON, none as the text that it is. */
export function areJson(types: readonly unknown[]): boolean {
  return types.length > 0 && types.every((type) => type !== 'string' && isJsonType(type));
}

/** Whether a text is never anything but itself. */
export function areTexts(types: readonly unknown[]): boolean {
  return types.every((type) => type === 'string' || type === anything);
}

/** What a pointer leads to; undefined for one that leads nowhere and for other references. */
export function definitionOf(reference: unknown, root: Schema | null): unknown {
  if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
  if (reference.length > mostCharactersOfReference) return undefined;
  let found: unknown = root;
  for (const part of reference.split('/').slice(1)) {
    const key = unescaped(part);
    if (key === null || typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = Reflect.get(found, key);
  }
  return found;
}

/** A part of a pointer; null where it is none. */
function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
