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
import { compare, isAfter, positionOfBase, stateOfBase } from './hosted-list.ts';
import type { FinishedJob, FinishedJobs } from './hosted-target.ts';
import { projectKindOf } from './model-kinds.ts';
import { findHomes, listRegistryRows, type RegistryFilter, type RegistryRow } from './model-registry.store.ts';

export type ModelListEntry =
  | { source: 'hosted'; model: RegistryRow }
  | { source: 'training_job'; job: FinishedJob }
  /** `home`: a project of the account in which it may call the base model. */
  | { source: 'base'; baseModel: BaseModel; home: { slug: string } | null };

export type RegistrySource = 'hosted' | 'training_job' | 'base';

export type RegistryDeps = {
  sql: Sql;
  cursors: CursorCodec;
  models: { baseModels: () => readonly BaseModel[] };
  finishedJobs: FinishedJobs;
};

/** Newest first, one entry more than `limit` when another page follows. Throws `invalid_cursor`. */
export async function listRegistry(
  { sql, cursors, models, finishedJobs }: RegistryDeps,
  filter: RegistryFilter & { source: RegistrySource | null },
  { limit, cursor }: PageRequest,
): Promise<ListPage<ModelListEntry>> {
  const scope = scopeOf(filter);
  const { after: afterCursor, cursorOf } = createListCursor(cursors, scope);
  const after = afterCursor(cursor);
  const includesSource = (source: RegistrySource) => filter.source === null || filter.source === source;
  const bases = includesSource('base') ? models.baseModels().filter((model) => matches(model, filter)) : [];
  const nothing = { rows: [], totalCount: 0 };
  const [hosted, jobs, homes] = await Promise.all([
    includesSource('hosted')
      ? listRegistryRows(sql, { ...filter, rerankers: rerankersOf(models) }, { after, limit: limit + 1 })
      : nothing,
    includesSource('training_job') && hasJobs(filter)
      ? finishedJobs.list(filter, { after, limit: limit + 1 })
      : nothing,
    findHomes(sql, filter.accountId),
  ]);
  const entries: ModelListEntry[] = [
    ...hosted.rows.map((model) => ({ source: 'hosted', model }) as const),
    ...jobs.rows.map((job) => ({ source: 'training_job', job }) as const),
    ...bases
      .filter((model) => isAfter(positionOfBase(model), after))
      .map(
        (baseModel) => ({ source: 'base', baseModel, home: homes.get(projectKindOf(baseModel.kind)) ?? null }) as const,
      ),
  ];
  return {
    rows: entries.toSorted((a, b) => compare(positionOf(a), positionOf(b))).slice(0, limit + 1),
    limit,
    totalCount: hosted.totalCount + jobs.totalCount + bases.length,
    cursorOf: (entry) => {
      const { createdAt: position, id } = positionOf(entry);
      return cursorOf({ position, id });
    },
  };
}

const rerankersOf = ({ baseModels }: RegistryDeps['models']) =>
  baseModels().flatMap(({ id, kind }) => (kind === 'reranker' ? [id] : []));

function scopeOf(filter: RegistryFilter & { source: RegistrySource | null }): string[] {
  const { accountId, source, access, kind, state, project, q } = filter;
  const filters = [source, access, kind, state, project?.ownerSlug, project?.slug, q];
  return ['model-registry', accountId, ...filters.map((value) => value ?? '')];
}

/** Jobs are their owners', and can be called once they have succeeded. */
function hasJobs({ access, state }: RegistryFilter): boolean {
  return (access === null || access === 'owned') && (state === null || state === 'active');
}

function matches(model: BaseModel, { access, kind, state, project, q }: RegistryFilter): boolean {
  if (access !== null && access !== 'public') return false;
  if (project !== null) return false;
  if (kind !== null && model.kind !== kind) return false;
  if (state !== null && stateOfBase(model) !== state) return false;
  return q === null || foldText(`${model.id} ${model.name}`).includes(q);
}

function positionOf(entry: ModelListEntry): ListPosition {
  if (entry.source === 'base') return positionOfBase(entry.baseModel);
  const { position: createdAt, id } = entry.source === 'hosted' ? entry.model : entry.job;
  return { createdAt, id };
}
