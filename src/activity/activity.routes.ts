import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import type { Sql } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault } from '#kernel';
import { archiveManyContract, archiveOneContract, listContract, unarchiveOneContract } from './activity.contract.ts';
import { activityQuery, activityToWire, archiveBody } from './activity.schema.ts';
import type { ActivityFilter, ArchiveSelection } from './activity.store.ts';
import { archiveActivity, listActivity, setActivityArchived } from './activity.ts';

export type ActivityDeps = { sql: Sql; cursors: CursorCodec };

type ActivityRoute = { Params: { activityId: string } };

export function activityRoutes(deps: ActivityDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/activity',
      { config: { operation: 'activity.list', contract: listContract }, schema: { querystring: activityQuery } },
      async ({ principal, query }) => {
        const page = await listActivity(deps, filterOf(principal.accountId, query), readPage(query));
        return pageOf({ ...page, toWire: activityToWire });
      },
    );

    for (const [verb, archived, contract] of [
      ['archive', true, archiveOneContract],
      ['unarchive', false, unarchiveOneContract],
    ] as const)
      app.patch<ActivityRoute>(
        `/api/v1/activity/:activityId/${verb}`,
        { config: { operation: `activity.${verb}`, contract } },
        async ({ principal: { accountId }, params: { activityId: id } }) =>
          activityToWire(await setActivityArchived(deps.sql, { accountId, id, archived })),
      );

    typed.post(
      '/api/v1/activity/archive',
      { config: { operation: 'activity.archive_many', contract: archiveManyContract }, schema: { body: archiveBody } },
      async ({ principal, body }) => ({
        archived: await archiveActivity(deps.sql, selectionOf(principal.accountId, body)),
      }),
    );
  };
}

function filterOf(accountId: string, query: Static<typeof activityQuery>): ActivityFilter {
  const [ownerSlug, slug] = query.project?.split('/') ?? [];
  return {
    accountId,
    archived: query.archived ?? 'false',
    type: query.type ?? null,
    project: ownerSlug !== undefined && slug !== undefined ? { ownerSlug, slug } : null,
    actorId: query.actor_id ?? null,
  };
}

function selectionOf(accountId: string, { before, ids }: Static<typeof archiveBody>): ArchiveSelection {
  if (before === undefined && ids === undefined)
    throw fault('invalid_request', { message: 'before: send a time, or ids, or both.', param: 'before' });
  const time = before === undefined ? null : new Date(before);
  if (time !== null && Number.isNaN(time.getTime()))
    throw fault('invalid_request', { message: 'before: expected an RFC 3339 time.', param: 'before' });
  return { accountId, before: time, ids: ids ?? null };
}
