import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import { type Datasets, readOwnDataset } from '#datasets';
import type { Database } from '#db';
import type { Contract, TypeBoxProvider } from '#http';
import { fault } from '#kernel';
import { changeOwnProject, projectPathOf, projectPrefix } from '#projects';
import { filterOf } from '../saved-calls.schema.ts';
import { listSavedCallIds } from '../saved-calls.store.ts';
import { isRequestId } from '../saved-calls.ts';
import type { Retention } from '../saved-calls-sweep.ts';
import { convertBody, convertedSchema, convertedToWire, maxCalls } from './convert.schema.ts';
import { convertCalls, splitByRatio } from './convert.ts';

const contract: Contract = {
  tag: 'saved_calls',
  summary: 'Make examples of saved calls',
  description:
    'Those of `ids`, or the oldest ones of `filter`; each for itself. A call becomes one example of a dataset, once, however often it is sent; deleting the example does not change that. One request takes at most 100 calls and tells how many remain and where to go on.',
  bodyExamples: [
    {
      title: 'A few calls',
      value: { dataset_id: 'ds_01KAXR6D4F6H8K0M2P4R6T8V0X', ids: ['req_01KAXR4T5K7D9E1A3C5F7H9J1M'] },
    },
    {
      title: 'All of a filter, only to see what would happen',
      value: { dataset_id: 'ds_01KAXR6D4F6H8K0M2P4R6T8V0X', filter: { finish_reason: 'stop' }, dry_run: true },
    },
  ],
  answers: {
    200: {
      description: 'What became of each call.',
      schema: convertedSchema,
      example: {
        results: [
          {
            id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
            status: 'converted',
            example_id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
            issues: [],
          },
        ],
        dry_run: false,
        converted: 1,
        already_converted: 0,
        duplicates: 0,
        rejected: 0,
        remaining: 0,
        resume_after: null,
      },
    },
  },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict', 'in_use', 'capacity_unavailable'],
  idempotent: true,
};

export type ConvertDeps = { database: Database; datasets: Datasets; retention: Retention };

export function convertRoutes({ database, datasets, retention }: ConvertDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        `${projectPrefix}/saved-calls/convert`,
        { config: { operation: 'saved_calls.convert', contract }, schema: { body: convertBody } },
        async (request) => {
          const { body, principal } = request;
          const path = { ...projectPathOf(request), datasetId: body.dataset_id };
          await changeOwnProject(database, principal, path);
          const { dataset } = await readOwnDataset(database, principal, path);
          if (dataset.kind !== 'text') throw fault('kind_mismatch', { param: 'dataset_id' });
          const chosen = await choose(dataset.projectId, body);
          const isDryRun = body.dry_run ?? false;
          const outcomes = await convertCalls(
            { database: once(request, database), datasets },
            {
              principal,
              path,
              dataset,
              isDryRun,
              ids: chosen.ids,
              keptSince: retention.keptSince(),
              splitOf: splitRuleOf(body),
              withReasoning: body.include_reasoning ?? true,
            },
          );
          return convertedToWire(outcomes, { ...chosen, isDryRun });
        },
      );
  };

  /** Which calls the request is about, and what is left for the next one. */
  async function choose(projectId: string, { ids, filter, after = '', limit = maxCalls }: Static<typeof convertBody>) {
    if ((ids === undefined) === (filter === undefined))
      throw fault('invalid_request', { message: 'ids: send ids, or a filter.', param: 'ids' });
    if (ids) return { ids: [...new Set(ids)].filter(isRequestId), remaining: 0, resumeAfter: null };
    if (after !== '' && !isRequestId(after))
      throw fault('invalid_request', { message: 'after: expected the id of a call.', param: 'after' });
    const found = await listSavedCallIds(database, filterOf(projectId, filter ?? {}, retention), { after, limit });
    const remaining = found.total - found.ids.length;
    return { ids: found.ids, remaining, resumeAfter: remaining > 0 ? (found.ids.at(-1) ?? null) : null };
  }
}

function splitRuleOf({ split, test_ratio: testRatio }: Static<typeof convertBody>) {
  if (testRatio === undefined) return () => split ?? ('train' as const);
  if (split === undefined) return splitByRatio(testRatio);
  throw fault('invalid_request', { message: 'test_ratio: send split or test_ratio.', param: 'test_ratio' });
}
