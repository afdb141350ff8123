import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import type { Datasets } from '#datasets';
import type { Database, Sql } from '#db';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, createListCursor, foldText, type PageRequest } from '#kernel';
import type { ModelsService } from '#models';
import { changeOwnProject, projectPathOf, readOwnProject } from '#projects';
import { cancelJob } from '../jobs/advance.ts';
import { createJob, freezeData } from '../jobs/create-job.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { countJobs, type JobFilter, listAttempts, listJobs } from '../jobs/jobs.store.ts';
import { type JobRequest, planJob } from '../jobs/plan.ts';
import { blockOf, estimateRetry, retryJob } from '../jobs/retry.ts';
import { retryBody, retryQuery } from './attempts.schema.ts';
import { authorOf, changeOwnJob, jobPath, jobsPath, readOwnJob } from './job-access.ts';
import {
  attemptsContract,
  cancelContract,
  createContract,
  listContract,
  readContract,
  retryContract,
  retryEstimateContract,
} from './jobs.contract.ts';
import { cancelBody, createJobBody, jobsQuery } from './jobs.schema.ts';
import { attemptToWire, jobToWire, planToWire, retryEstimateToWire } from './wire.ts';

type JobsRoutesDeps = {
  database: Database;
  cursors: CursorCodec;
  models: ModelsService;
  datasets: Datasets;
  maxActiveJobs: number;
  wake: () => void;
};

export function jobsRoutes(deps: JobsRoutesDeps) {
  const { database, cursors, models, datasets, wake } = deps;
  const toWire = (job: TrainingJob) => jobToWire(job, blockOf(job, models));

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.post(
      jobsPath,
      { config: { operation: 'training_jobs.create', contract: createContract }, schema: { body: createJobBody } },
      async (request, reply) => {
        const project = await changeOwnProject(database, request.principal, projectPathOf(request));
        const plan = await planJob({ sql: database, models, datasets }, project, requestOf(request.body));
        if (request.body.dry_run) return planToWire(plan);
        const author = authorOf(request);
        const version = await freezeData(deps, plan, { project, author });
        const job = await once(request, database).transaction(async (tx) => {
          // Again, as freezing takes a while: the project may have been archived.
          await changeOwnProject(tx, request.principal, projectPathOf(request));
          return createJob(tx, deps, { plan, version, project, author });
        });
        setImmediate(wake);
        reply.code(201);
        return toWire(job);
      },
    );

    typed.get(
      jobsPath,
      { config: { operation: 'training_jobs.list', contract: listContract }, schema: { querystring: jobsQuery } },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, projectPathOf(request));
        const { state = null, base_model: baseModelId = null, dataset_id: datasetId = null, q = null } = request.query;
        const filter = { projectId, state, baseModelId, datasetId, q };
        const page = await pageOfJobs({ sql: database, cursors }, filter, readPage(request.query));
        return pageOf({ ...page, toWire });
      },
    );

    app.get(jobPath, { config: { operation: 'training_jobs.read', contract: readContract } }, async (request) =>
      toWire(await readOwnJob(database, request)),
    );

    typed.post(
      `${jobPath}/cancel`,
      { config: { operation: 'training_jobs.cancel', contract: cancelContract }, schema: { body: cancelBody } },
      async (request) => {
        const { keep_checkpoint: keepCheckpoint = true } = request.body;
        const job = await database.transaction(async (tx) =>
          cancelJob(tx, await changeOwnJob(tx, request), { keepCheckpoint, author: authorOf(request) }),
        );
        return toWire(job);
      },
    );

    typed.get(
      `${jobPath}/retry-estimate`,
      {
        config: { operation: 'training_jobs.retry_estimate', contract: retryEstimateContract },
        schema: { querystring: retryQuery },
      },
      async (request) => {
        const job = await readOwnJob(database, request);
        return retryEstimateToWire(await estimateRetry(database, deps, job, request.query.from ?? 'checkpoint'));
      },
    );

    typed.post(
      `${jobPath}/retry`,
      { config: { operation: 'training_jobs.retry', contract: retryContract }, schema: { body: retryBody } },
      async (request, reply) => {
        const job = await once(request, database).transaction(async (tx) =>
          retryJob(tx, deps, {
            job: await changeOwnJob(tx, request),
            from: request.body.from,
            author: authorOf(request),
          }),
        );
        setImmediate(wake);
        reply.code(202);
        return toWire(job);
      },
    );

    typed.get(
      `${jobPath}/attempts`,
      {
        config: { operation: 'training_jobs.attempts', contract: attemptsContract },
        schema: { querystring: plainPageQuery },
      },
      async (request) => {
        const job = await readOwnJob(database, request);
        const page = await pageOfAttempts({ sql: database, cursors }, job, readPage(request.query));
        return pageOf({ ...page, toWire: attemptToWire });
      },
    );
  };
}

function requestOf(body: Static<typeof createJobBody>): JobRequest {
  const { evaluation = {} } = body;
  return {
    name: body.name ?? null,
    baseModelId: body.base_model,
    datasetId: body.dataset_id,
    datasetVersionId: body.dataset_version_id ?? null,
    hyperparameters: body.hyperparameters ?? {},
    evaluation: {
      testRatio: evaluation.test_ratio ?? null,
      everySteps: evaluation.every_steps ?? null,
      earlyStoppingPatience: evaluation.early_stopping_patience ?? null,
      control: controlOf(evaluation.control),
    },
    deploy: body.deploy ?? null,
  };
}

function controlOf(control: { dataset_version_id: string; replay_ratio?: number } | null | undefined) {
  return control ? { versionId: control.dataset_version_id, replayRatio: control.replay_ratio ?? 0 } : null;
}

type JobListDeps = { sql: Sql; cursors: CursorCodec };

async function pageOfJobs({ sql, cursors }: JobListDeps, query: JobFilter, { limit, cursor }: PageRequest) {
  const filter = { ...query, q: query.q === null ? null : foldText(query.q) };
  const { projectId, state, baseModelId, datasetId, q } = filter;
  const scope = ['training-jobs', projectId, state ?? '', baseModelId ?? '', datasetId ?? '', q ?? ''];
  const { after, cursorOf } = createListCursor(cursors, scope);
  const [rows, totalCount] = await Promise.all([
    listJobs(sql, filter, { after: after(cursor), limit: limit + 1 }),
    countJobs(sql, filter),
  ]);
  return { rows, totalCount, limit, cursorOf };
}

async function pageOfAttempts({ sql, cursors }: JobListDeps, job: TrainingJob, { limit, cursor }: PageRequest) {
  const scope = ['training-attempts', job.id];
  const before = cursor === null ? null : Number(cursors.decode(scope, cursor)[0]);
  const rows = await listAttempts(sql, job.id, { before, limit: limit + 1 });
  const cursorOf = ({ number }: (typeof rows)[number]) => cursors.encode(scope, [String(number)]);
  return { rows, totalCount: job.attempt, limit, cursorOf };
}
