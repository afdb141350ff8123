import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import { datasetPathOf, type SplitChoice } from '#datasets';
import type { TypeBoxProvider } from '#http';
import { fault, isId } from '#kernel';
import { filterOf } from '../events/event-list.ts';
import { type EventsDeps, eventIdOf, eventPath, eventQueryOf } from '../events/events.routes.ts';
import { eventFilters, eventToWire } from '../events/events.schema.ts';
import { readEvent } from '../events/read-events.ts';
import { eventsPath } from '../events/report.routes.ts';
import { authorizeFeedbackWrite } from '../feedback-access.ts';
import { type Promoter, type PromotionBatch, type PromotionDeps, promoteBatch } from './promote-batch.ts';
import { type FilterRun, maxEvents, promoteFilter } from './promote-filter.ts';
import { type PromotionOverride, promoteOne } from './promote-one.ts';
import { promoteContract, promoteManyContract } from './promotion.contract.ts';
import { promoteBody, promoteManyBody } from './promotion.schema.ts';
import { promotedToWire } from './promotion-wire.ts';

/** The only way from feedback to training examples. */
export function promotionRoutes({ database, datasets }: EventsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.post(
      `${eventPath}/promote`,
      {
        config: { operation: 'retrieval_events.promote', contract: promoteContract },
        schema: { body: promoteBody },
      },
      async (request, reply) => {
        const dataset = await authorizeFeedbackWrite(database, request.principal, datasetPathOf(request));
        const { dry_run: isDryRun = false } = request.body;
        const split = splitChoiceOf(request.body);
        const deps = { database: once(request, database), datasets };
        const [id, override] = [eventIdOf(request), overrideOf(request.body)];
        const promotion = { dataset, id, override, split, promoter: promoterOf(request), isDryRun };
        const { isNew, examples, leakedQuery } = await promoteOne(deps, promotion);
        reply.code(isNew ? 201 : 200);
        const event = eventToWire(await readEvent({ sql: deps.database, datasets }, dataset, id));
        return { event, examples, leaked_queries: leakedQuery === null ? 0 : 1 };
      },
    );

    typed.post(
      `${eventsPath}/promote`,
      {
        config: { operation: 'retrieval_events.promote_many', contract: promoteManyContract },
        schema: { body: promoteManyBody },
      },
      async (request) => {
        const dataset = await authorizeFeedbackWrite(database, request.principal, datasetPathOf(request));
        const { body } = request;
        const isDryRun = body.dry_run ?? false;
        const batch = {
          dataset,
          promoter: promoterOf(request),
          decision: { choiceOf: () => ({}), split: splitChoiceOf(body) },
          isDryRun,
        };
        const run = await promoteMany({ database: once(request, database), datasets }, { batch, body });
        return promotedToWire(run, { ids: body.ids ?? [...run.outcomes.keys()], isDryRun });
      },
    );
  };
}

async function promoteMany(
  deps: PromotionDeps,
  { batch, body }: { batch: Omit<PromotionBatch, 'ids'>; body: Static<typeof promoteManyBody> },
): Promise<FilterRun> {
  const { ids, filter, after = null, limit = maxEvents } = body;
  if ((ids === undefined) === (filter === undefined))
    throw fault('invalid_request', { message: 'ids: send ids, or a filter.', param: 'ids' });
  if (ids) {
    const outcomes = await promoteBatch(deps, { ...batch, ids: [...new Set(ids)].filter((id) => isId('rev', id)) });
    return { outcomes, remaining: 0, resumeAfter: null, stopped: null };
  }
  if (after !== null && !isId('rev', after))
    throw fault('invalid_request', { message: 'after: expected the id of an event.', param: 'after' });
  refuseUnknown(filter ?? {});
  const query = eventQueryOf({ ...filter, state: 'pending' });
  return promoteFilter(deps, { ...batch, filter: filterOf(batch.dataset.id, query), after, limit });
}

/** Elsewhere unknown fields are ignored; here each that is left out would promote more than was meant, and for good. */
function refuseUnknown(filter: object): void {
  const known = Object.keys(eventFilters);
  const unknown = Object.keys(filter).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw fault('invalid_request', {
    message: `filter.${unknown}: pending events are chosen by ${known.join(', ')}.`,
    param: `filter.${unknown}`,
  });
}

function promoterOf(request: FastifyRequest): Promoter {
  return { principal: request.principal, path: datasetPathOf(request), requestId: request.id };
}

function overrideOf({
  positives = null,
  negatives = null,
  query = null,
}: Partial<PromotionOverride>): PromotionOverride {
  return { positives, negatives, query };
}

type SplitFields = Pick<Static<typeof promoteManyBody>, 'split' | 'test_ratio'>;

/** Without a wish, new queries are learned from. */
function splitChoiceOf({ split, test_ratio: testRatio }: SplitFields): SplitChoice {
  if (split === undefined) return { testRatio: testRatio ?? 0 };
  if (testRatio === undefined) return { split };
  throw fault('invalid_request', { message: 'test_ratio: send split or test_ratio.', param: 'test_ratio' });
}
