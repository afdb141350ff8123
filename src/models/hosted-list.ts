import type { Sql } from '#db';
import {
  type CursorCodec,
  createListCursor,
  foldText,
  type ListPage,
  type ListPosition,
  type PageRequest,
} from '#kernel';
import type { BaseModel } from './base-model.ts';
import { type HostedState, type ListedAlias, listAliases } from './hosted-models.store.ts';
import { isServed } from './resolve.ts';

/** An entry of the management list: an alias of the project, or a base model, which every project has. */
export type HostedEntry = { source: 'alias'; model: ListedAlias } | { source: 'base'; baseModel: BaseModel };

export type HostedFilter = { source: 'alias' | 'base' | null; state: HostedState | null; q: string | null };

export type HostedListDeps = { sql: Sql; cursors: CursorCodec; models: { baseModels: () => readonly BaseModel[] } };

export async function listHosted(
  { sql, cursors, models }: HostedListDeps,
  filter: HostedFilter & { projectId: string },
  { limit, cursor }: PageRequest,
): Promise<ListPage<HostedEntry>> {
  const { projectId, source, state, q } = filter;
  const scope = ['hosted-models', projectId, source ?? '', state ?? '', q ?? ''];
  const { after: afterCursor, cursorOf } = createListCursor(cursors, scope);
  const after = afterCursor(cursor);
  const aliases =
    source === 'base'
      ? { rows: [], totalCount: 0 }
      : await listAliases(sql, { projectId, state, q }, { after, limit: limit + 1 });
  const bases = source === 'alias' ? [] : models.baseModels().filter((model) => matches(model, filter));
  const entries: HostedEntry[] = [
    ...aliases.rows.map((model) => ({ source: 'alias', model }) as const),
    ...bases.filter((model) => isAfter(positionOfBase(model), after)).map(toBaseEntry),
  ];
  return {
    rows: entries.toSorted(newestFirst).slice(0, limit + 1),
    limit,
    totalCount: aliases.totalCount + bases.length,
    cursorOf: (entry) => {
      const { createdAt: position, id } = positionOf(entry);
      return cursorOf({ position, id });
    },
  };
}

/** A base model that is served can be called: it is `active`, and nothing else but `inactive`. */
export function stateOfBase(baseModel: BaseModel): 'active' | 'inactive' {
  return isServed(baseModel) ? 'active' : 'inactive';
}

function matches(model: BaseModel, { state, q }: HostedFilter): boolean {
  if (state !== null && stateOfBase(model) !== state) return false;
  return q === null || foldText(`${model.id} ${model.name}`).includes(q);
}

const toBaseEntry = (baseModel: BaseModel): HostedEntry => ({ source: 'base', baseModel });

function positionOf(entry: HostedEntry): ListPosition {
  return entry.source === 'base'
    ? positionOfBase(entry.baseModel)
    : { createdAt: entry.model.position, id: entry.model.id };
}

/** With six decimals, as the database writes times: texts of one form compare as what they mean. */
export function positionOfBase({ created, id }: BaseModel): ListPosition {
  return { createdAt: created.toISOString().replace('Z', '000Z'), id };
}

export function isAfter(position: ListPosition, after: ListPosition): boolean {
  return compare(position, after) > 0;
}

const newestFirst = (a: HostedEntry, b: HostedEntry): number => compare(positionOf(a), positionOf(b));

/** Negative when `a` stands before `b`: newest first, then by id, downwards. */
export function compare(a: ListPosition, b: ListPosition): number {
  if (a.createdAt !== b.createdAt) return a.createdAt > b.createdAt ? -1 : 1;
  if (a.id === b.id) return 0;
  return a.id > b.id ? -1 : 1;
}
