import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type Datasets, datasetPathOf } from '#datasets';
import type { Database } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault } from '#kernel';
import { authorizeFeedbackRead, lockFeedbackForWrite } from '../feedback-access.ts';
import { type EventQuery, listEvents } from './event-list.ts';
import { listContract, readContract, restoreContract, skipContract } from './events.contract.ts';
import { eventRowToWire, eventsQuery, eventToWire, skipBody } from './events.schema.ts';
import { type EventMove, moveEvent } from './move-event.ts';
import { readEvent, showEvents } from './read-events.ts';
import { eventsPath } from './report.routes.ts';

export type EventsDeps = { database: Database; cursors: CursorCodec; datasets: Datasets };

export const eventPath = `${eventsPath}/:eventId`;

/** Looking at events, and setting them aside. */
export function eventsRoutes({ database, cursors, datasets }: EventsDeps) {
  const deps = { sql: database, cursors, datasets };

  async function move(request: FastifyRequest, to: EventMove) {
    const id = eventIdOf(request);
    const dataset = await database.transaction(async (tx) => {
      const locked = await lockFeedbackForWrite(tx, request.principal, datasetPathOf(request));
      await moveEvent(tx, { datasetId: locked.id, id }, to);
      return locked;
    });
    return eventToWire(await readEvent(deps, dataset, id));
  }

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      eventsPath,
      { config: { operation: 'retrieval_events.list', contract: listContract }, schema: { querystring: eventsQuery } },
      async (request) => {
        const dataset = await authorizeFeedbackRead(database, request.principal, datasetPathOf(request));
        const query = eventQueryOf(request.query);
        const page = await listEvents(deps, { datasetId: dataset.id, query }, readPage(request.query));
        const ids = page.rows.slice(0, page.limit);
        const shown = await showEvents(deps, { dataset, ids }, eventRowToWire);
        const { data, ...rest } = pageOf({ ...page, toWire: (id) => shown.get(id) });
        return { data: data.filter((row) => row !== undefined), ...rest };
      },
    );

    app.get(eventPath, { config: { operation: 'retrieval_events.read', contract: readContract } }, async (request) => {
      const dataset = await authorizeFeedbackRead(database, request.principal, datasetPathOf(request));
      return eventToWire(await readEvent(deps, dataset, eventIdOf(request)));
    });

    typed.patch(
      `${eventPath}/skip`,
      { config: { operation: 'retrieval_events.skip', contract: skipContract }, schema: { body: skipBody } },
      async (request) => move(request, { to: 'skipped', reason: request.body.reason ?? null }),
    );

    app.patch(
      `${eventPath}/restore`,
      { config: { operation: 'retrieval_events.restore', contract: restoreContract } },
      async (request) => move(request, { to: 'open' }),
    );
  };
}

export function eventIdOf({ params }: FastifyRequest): string {
  // as: the path declares it.
  return (params as { eventId: string }).eventId;
}

export function eventQueryOf(filters: Partial<Omit<Static<typeof eventsQuery>, 'limit' | 'cursor'>>): EventQuery {
  const { state = null, q = null, model = null, external_id: externalId = null, from, to } = filters;
  return {
    state,
    q,
    model,
    externalId,
    from: timeOf('from', from),
    to: timeOf('to', to),
  };
}

function timeOf(param: string, text: string | undefined): Date | null {
  if (text === undefined) return null;
  const time = new Date(text);
  if (!Number.isNaN(time.getTime())) return time;
  throw fault('invalid_request', { message: `${param}: expected an RFC 3339 time.`, param });
}
