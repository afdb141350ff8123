import type { FastifyInstance, FastifyReply } from 'fastify';
import { once } from '#calls';
import { datasetPathOf } from '#datasets';
import type { Database } from '#db';
import { fault } from '#kernel';
import { projectPrefix } from '#projects';
import { seePlaceToChange } from '../place.ts';
import { negativePolicy } from '../policy/negative-policy.ts';
import { eventToWire } from './events.schema.ts';
import { FieldError } from './field-error.ts';
import type { Outcome } from './known-events.ts';
import type { NewEvent } from './new-event.ts';
import { type ReadDeps, readEvent } from './read-events.ts';
import { batchContract, reportContract } from './report.contract.ts';
import { reportToWire } from './report.schema.ts';
import type { Reporter } from './report.ts';
import { readBatch, readOneEvent } from './report-body.ts';

export type ReportDeps = { database: Database; datasets: ReadDeps['datasets']; reporter: Reporter };

export const eventsPath = `${projectPrefix}/datasets/:datasetId/retrieval-events`;

const mebibyte = 1024 * 1024;
/** Fields and values of a hundred events with fifty results and judgments each. */
const batchBounds = { maxKeys: 60_000, maxItems: 120_000, badText: 'pass' } as const;

/** Where searches report. */
export function reportRoutes({ database, datasets, reporter }: ReportDeps) {
  const { minStrength } = negativePolicy;
  return async (app: FastifyInstance): Promise<void> => {
    app.post(
      eventsPath,
      {
        config: { operation: 'retrieval_events.create', contract: reportContract, json: { badText: 'pass' } },
        bodyLimit: 2 * mebibyte,
      },
      async (request, reply) => {
        const { dataset } = await seePlaceToChange(database, request.principal, datasetPathOf(request));
        const { value, ignored } = readOneEvent(request.body, { datasetId: dataset.id, minStrength });
        nameIgnored(reply, ignored);
        const within = once(request, database);
        const [outcome] = await report(reporter, { database, within }, [value]);
        if (!outcome || outcome.status === 'conflict')
          throw fault('conflict', { param: 'external_id', ...(outcome && { message: outcome.message }) });
        reply.code(outcome.status === 'created' ? 201 : 200);
        return eventToWire(await readEvent({ sql: within, datasets }, dataset, outcome.id));
      },
    );

    app.post(
      `${eventsPath}/batch`,
      {
        config: { operation: 'retrieval_events.create_many', contract: batchContract, json: batchBounds },
        bodyLimit: 8 * mebibyte,
      },
      async (request, reply) => {
        const { dataset } = await seePlaceToChange(database, request.principal, datasetPathOf(request));
        const { value, ignored } = readBatch(request.body, { datasetId: dataset.id, minStrength });
        nameIgnored(reply, ignored);
        const events = value.filter((item): item is NewEvent => !(item instanceof FieldError));
        const outcomes = await report(reporter, { database, within: once(request, database) }, events);
        const inOrder = outcomes.values();
        return reportToWire(value.map((item) => (item instanceof FieldError ? item : taken(inOrder.next().value))));
      },
    );
  };
}

/** With an `Idempotency-Key` the events belong into the transaction of the request, and share no statement. */
async function report(
  reporter: Reporter,
  { database, within }: { database: Database; within: Database },
  events: readonly NewEvent[],
): Promise<Outcome[]> {
  if (events.length === 0) return [];
  return within === database ? reporter.report(events) : reporter.reportIn(within, events);
}

function taken(outcome: Outcome | undefined): Outcome {
  if (!outcome) throw new Error('An event has no outcome. This is a bug.');
  return outcome;
}

function nameIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length > 0) reply.header('x-fnf-ignored-fields', names.join(', '));
}
