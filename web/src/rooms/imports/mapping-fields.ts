import type { Import, Mapping } from './imports-queries.ts';

export type ImportKind = Import['kind'];
/** A field of an example that a column can fill. */
export type Field =
  | 'messages'
  | 'system'
  | 'user'
  | 'assistant'
  | 'tools'
  | 'split'
  | 'query'
  | 'positives'
  | 'negatives';

export const mayBeSeveral: ReadonlySet<Field> = new Set<Field>(['user', 'positives', 'negatives']);

/** The API has two names for a column of one text or of several; the one in use stays. */
function keyOf(mapping: Mapping, field: Field): string {
  if (field === 'positives' && 'positive' in mapping) return 'positive';
  if (field === 'negatives' && 'negative' in mapping) return 'negative';
  return field;
}

export function columnsOf(mapping: Mapping | null, field: Field): string[] {
  const value = mapping?.[keyOf(mapping, field)];
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : value;
}

export function withColumns(mapping: Mapping | null, field: Field, columns: readonly string[]): Mapping {
  const key = keyOf(mapping ?? {}, field);
  const { [key]: _before, ...rest } = mapping ?? {};
  const [first, ...more] = columns;
  if (first === undefined) return rest;
  return { ...rest, [key]: more.length === 0 ? first : [...columns] };
}

export function isOneColumn(mapping: Mapping | null): boolean {
  return mapping !== null && 'messages' in mapping;
}

export function isComplete(mapping: Mapping, kind: ImportKind): boolean {
  const has = (field: Field) => columnsOf(mapping, field).length > 0;
  if (kind === 'embedding') return has('query') && has('positives');
  return has('messages') || (has('user') && has('assistant'));
}

/** The required fields come first. */
export function fieldsOf(kind: ImportKind, isOne: boolean): { field: Field; isNeeded: boolean }[] {
  const needed = (fields: Field[]) => fields.map((field) => ({ field, isNeeded: true }));
  const more = (fields: Field[]) => fields.map((field) => ({ field, isNeeded: false }));
  if (kind === 'embedding') return [...needed(['query', 'positives']), ...more(['negatives', 'split'])];
  if (isOne) return [...needed(['messages']), ...more(['tools', 'split'])];
  return [...needed(['user', 'assistant']), ...more(['system', 'tools', 'split'])];
}

/** Independent of the order of the fields. */
export function isSameMapping(one: Mapping | null, other: Mapping | null): boolean {
  const text = (mapping: Mapping | null) => JSON.stringify(mapping && Object.entries(mapping).toSorted());
  return text(one) === text(other);
}
