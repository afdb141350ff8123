import { isFields } from '#kernel';
import { withParts } from './schema-annotations.ts';

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
