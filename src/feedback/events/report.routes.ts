import type { FastifyInstance, FastifyReply } from 'fastify';
import Type from 'typebox';
import { once } from '#calls';
import { datasetPathOf } from '#datasets';
import type { Database } from '#db';
import { createCheck } from '#http';
import { ascendingIds, Fault, fault, newId } from '#kernel';
import { projectPrefix } from '#projects';
import { authorizeFeedbackWrite } from '../feedback-access.ts';
import { negativePolicy } from '../policy/negative-policy.ts';
import { limits, type ReportedEvent } from './event.ts';
import { eventToWire } from './events.schema.ts';
import type { ReportOutcome } from './known-events.ts';
import { type NewEvent, newEvent } from './new-event.ts';
import { noteUnknown, readEventAt, readReportedEvent, unknownFieldsOf } from './read-event.ts';
import { type ReadDeps, readEvent } from './read-events.ts';
import { batchContract, reportContract } from './report.contract.ts';
import { reportToWire } from './report.schema.ts';
import type { Reporter } from './report.ts';
import { reportedBatchSchema } from './reported.schema.ts';

export type ReportDeps = { database: Database; datasets: ReadDeps['datasets']; reporter: Reporter };

export const eventsPath = `${projectPrefix}/datasets/:datasetId/retrieval-events`;

const mebibyte = 1024 * 1024;
/** Fields and values of a hundred events with fifty results and judgments each. */
const batchBounds = { maxKeys: 60_000, maxItems: 120_000, badText: 'pass' } as const;

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
        const dataset = await authorizeFeedbackWrite(database, request.principal, datasetPathOf(request));
        const reported = readReportedEvent(request.body);
        const ignored = new Set<string>();
        unknownFieldsOf(request.body, '', ignored);
        nameIgnored(reply, ignored);
        const event = newEvent(reported, { datasetId: dataset.id, id: newId('rev') }, minStrength);
        const within = once(request, database);
        const [outcome] = await report(reporter, { database, within }, [event]);
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
        const dataset = await authorizeFeedbackWrite(database, request.principal, datasetPathOf(request));
        const ignored = new Set<string>();
        const read = readBatch(request.body, ignored);
        nameIgnored(reply, ignored);
        const nextId = ascendingIds('rev');
        const value = read.map((item) =>
          item instanceof Fault ? item : newEvent(item, { datasetId: dataset.id, id: nextId() }, minStrength),
        );
        const events = value.filter((item): item is NewEvent => !(item instanceof Fault));
        const outcomes = await report(reporter, { database, within: once(request, database) }, events);
        const inOrder = outcomes.values();
        return reportToWire(value.map((item) => (item instanceof Fault ? item : taken(inOrder.next().value))));
      },
    );
  };
}

/** With an `Idempotency-Key` the events belong into the transaction of the request, and share no statement. */
async function report(
  reporter: Reporter,
  { database, within }: { database: Database; within: Database },
  events: readonly NewEvent[],
): Promise<ReportOutcome[]> {
  if (events.length === 0) return [];
  return within === database ? reporter.report(events) : reporter.reportIn(within, events);
}

function taken(outcome: ReportOutcome | undefined): ReportOutcome {
  if (!outcome) throw new Error('An event has no outcome. This is a bug.');
  return outcome;
}

const checkBatch = createCheck(
  Type.Object({ events: Type.Array(Type.Unknown(), { minItems: 1, maxItems: limits.maxBatch }) }),
);

/** Reads a batch, each event on its own. Throws the fault of what is no batch. */
function readBatch(body: unknown, ignored: Set<string>): (ReportedEvent | Fault)[] {
  const problem = checkBatch(body);
  if (problem) throw problem;
  // as: it fits the schema.
  const { events } = body as { events: unknown[] };
  noteUnknown(body, reportedBatchSchema.properties, '', ignored);
  return events.map((event, index) => {
    unknownFieldsOf(event, 'events.', ignored);
    return readEventAt(event, `events[${index}]`);
  });
}

function nameIgnored(reply: FastifyReply, names: ReadonlySet<string>): void {
  if (names.size > 0) reply.header('x-fnf-ignored-fields', [...names].join(', '));
}
