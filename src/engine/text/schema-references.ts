import { isFields } from '#kernel';
import type { ToolDefinition } from '../port.ts';
import { asList, canonical, isJsonType, isSchema, type Schema } from './schema-merge.ts';
import { withParts } from './schema-places.ts';

/** What references are relative to: the nearest schema with an `$id`. */
type Base = { uri: string; pointer: string };
type Steps = readonly (string | number)[];

const deepest = 200;
const nameless: Base = { uri: 'schema:///', pointer: '#' };

/** The same schema with references by `$id` and `$anchor` as pointers from its root, which those inside a schema with an `$id` are not either. */
export function withPointers(root: unknown): unknown {
  if (!/"\$(id|anchor)"/.test(JSON.stringify(root))) return root;
  const targets = new Map<string, string>();
  walk(root, nameless, (schema, base, pointer) => {
    const { $id: id, $anchor: anchor } = schema;
    if (base.pointer === pointer && !targets.has(base.uri)) targets.set(base.uri, pointer);
    if (typeof id === 'string' && id.startsWith('#')) targets.set(`${base.uri}${id}`, pointer);
    if (typeof anchor === 'string') targets.set(`${base.uri}#${anchor}`, pointer);
    return schema;
  });
  return walk(root, nameless, (schema, base) => {
    // With its ids gone, pointers within it are from the root, also for whoever comes next.
    const { $ref: reference, $id: _id, $anchor: _anchor, ...rest } = schema;
    const pointer = typeof reference === 'string' ? pointerOf(reference, base, targets) : null;
    return reference === undefined ? rest : { ...rest, $ref: pointer ?? reference };
  });
}

type Visit = (schema: Record<string, unknown>, base: Base, pointer: string) => Record<string, unknown>;

function walk(root: unknown, base: Base, visit: Visit): unknown {
  const within = (schema: unknown, around: Base, { pointer, level }: { pointer: string; level: number }): unknown => {
    if (!isFields(schema) || level > deepest) return schema;
    const here = baseOf(schema, around, pointer);
    const fields = Object.entries(visit(schema, here, pointer)).map(([keyword, value]) => [
      keyword,
      withParts(keyword, value, (inner, steps) =>
        within(inner, here, { pointer: pointer + pointerText(steps), level: level + 1 }),
      ),
    ]);
    return Object.fromEntries(fields);
  };
  return within(root, base, { pointer: base.pointer, level: 0 });
}

function baseOf({ $id: id }: Record<string, unknown>, around: Base, pointer: string): Base {
  if (typeof id !== 'string' || id.startsWith('#')) return around;
  const uri = resolved(id.replace(/#$/, ''), around.uri);
  return uri === null ? around : { uri, pointer };
}

/** null: the reference leads to nothing that is known here. */
function pointerOf(reference: string, base: Base, targets: ReadonlyMap<string, string>): string | null {
  const [uri = '', ...fragments] = reference.split('#');
  const fragment = fragments.join('#');
  const resource = uri === '' ? base.uri : resolved(uri, base.uri);
  if (resource === null) return null;
  if (fragment !== '' && !fragment.startsWith('/')) return targets.get(`${resource}#${fragment}`) ?? null;
  const pointer = targets.get(resource);
  return pointer === undefined ? null : pointer + fragment;
}

function resolved(uri: string, base: string): string | null {
  return URL.canParse(uri, base) ? new URL(uri, base).href : null;
}

function pointerText(steps: Steps): string {
  const parts = steps.map((step) => encodeURIComponent(String(step).replaceAll('~', '~0').replaceAll('/', '~1')));
  return parts.map((part) => `/${part}`).join('');
}

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

function unescaped(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return null;
  }
}
