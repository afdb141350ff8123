import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import { once } from '#calls';
import type { Database } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import { type CursorCodec, fault, foldText } from '#kernel';
import type { BaseModel } from '#models';
import { changeOwnProject, type ProjectSeen, projectPathOf, projectPrefix, readOwnProject } from '#projects';
import { datasetPathOf, lockOwnDataset, readOwnDataset } from './dataset-access.ts';
import type { DatasetAuthor } from './dataset-activity.ts';
import { createContract, limitsContract, listContract, readContract, updateContract } from './datasets.contract.ts';
import { createDatasetBody, datasetsQuery, datasetToWire, limitsToWire, updateDatasetBody } from './datasets.schema.ts';
import { changeDataset, createDataset, listDatasets } from './datasets.ts';
import { countingModel } from './example-tokens.ts';
import { type DatasetLimits, viewLimits } from './limits.ts';

export type DatasetsRoutesDeps = {
  database: Database;
  cursors: CursorCodec;
  limits: DatasetLimits;
  models: { baseModels: () => readonly BaseModel[] };
};

const datasetsPath = `${projectPrefix}/datasets`;
export const datasetPath = `${datasetsPath}/:datasetId`;

export function datasetsRoutes(deps: DatasetsRoutesDeps) {
  const { database, limits, models } = deps;
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    app.get(
      `${datasetsPath}/limits`,
      { config: { operation: 'datasets.limits', contract: limitsContract } },
      async (request) => {
        const { id: projectId, kind } = await readOwnProject(database, request.principal, projectPathOf(request));
        const model = countingModel(deps, { kind, targetModel: null });
        return limitsToWire(
          await viewLimits(database, { projectId, limits, maxExampleTokens: model?.maxContextTokens ?? null }),
        );
      },
    );

    typed.get(
      datasetsPath,
      { config: { operation: 'datasets.list', contract: listContract }, schema: { querystring: datasetsQuery } },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, projectPathOf(request));
        const { q, archived = false } = request.query;
        const filter = { projectId, archived, q: q ? foldText(q) : null };
        const page = await listDatasets({ sql: database, ...deps }, filter, readPage(request.query));
        return pageOf({ ...page, toWire: datasetToWire });
      },
    );

    typed.post(
      datasetsPath,
      { config: { operation: 'datasets.create', contract: createContract }, schema: { body: createDatasetBody } },
      async (request, reply) => {
        const { target_model: targetModel = null, ...input } = request.body;
        const dataset = await once(request, database).transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, projectPathOf(request));
          checkTargetModel(models.baseModels(), { kind: project.kind, targetModel });
          const author = authorOf(request, project);
          return createDataset(tx, { project, ...input, targetModel, author, maxDatasets: limits.maxDatasets });
        });
        reply.code(201);
        return datasetToWire(dataset);
      },
    );

    app.get(datasetPath, { config: { operation: 'datasets.read', contract: readContract } }, async (request) => {
      const { dataset } = await readOwnDataset(database, request.principal, datasetPathOf(request));
      return datasetToWire(dataset);
    });

    typed.patch(
      datasetPath,
      { config: { operation: 'datasets.update', contract: updateContract }, schema: { body: updateDatasetBody } },
      async (request) => {
        const { target_model: targetModel, ...patch } = request.body;
        const dataset = await database.transaction(async (tx) => {
          const { project, dataset: before } = await lockOwnDataset(tx, request.principal, datasetPathOf(request));
          const update = { patch: { ...patch, targetModel }, author: authorOf(request, project) };
          return changeDataset(tx, before, { ...update, maxDatasets: limits.maxDatasets });
        });
        return datasetToWire(dataset);
      },
    );
  };
}

export function authorOf({ principal, id }: FastifyRequest, project: ProjectSeen): DatasetAuthor {
  const { ownerSlug, slug, accountId } = project;
  return { accountId, actor: actorOf(principal), project: { ownerSlug, slug }, requestId: id };
}

function checkTargetModel(
  models: readonly BaseModel[],
  { kind, targetModel }: { kind: BaseModel['kind']; targetModel: string | null },
): void {
  if (targetModel === null) return;
  const model = models.find(({ id }) => id === targetModel);
  if (!model) throw fault('model_not_found', { message: 'There is no such base model.', param: 'target_model' });
  if (model.kind !== kind)
    throw fault('kind_mismatch', { message: `This is a model of kind ${model.kind}.`, param: 'target_model' });
}
