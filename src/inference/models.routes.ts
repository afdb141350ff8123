import type { FastifyInstance } from 'fastify';
import type { Contract } from '#http';
import { fault } from '#kernel';
import { listCallableHostedModels, toCompatModel } from '#models';
import type { Admitted } from './admitted.ts';
import type { InferenceDeps } from './deps.ts';
import { inferencePrefix, readParams } from './entry.ts';
import { listContract, retrieveContract } from './models.contract.ts';

/** GET P/models and P/models/{id}: the hosted models that the caller may call in this project, nothing else. */
export function modelsRoutes(app: FastifyInstance, { admit, sql }: InferenceDeps): void {
  const config = (operation: string, contract: Contract) =>
    ({ operation, access: 'admission', shape: 'compat', contract }) as const;

  app.get(`${inferencePrefix}/models`, { config: config('models.list', listContract) }, async (request) => {
    const { owner, project } = readParams(request);
    const admitted = await admit(request.headers, { ownerSlug: owner, projectSlug: project, model: null }).answer;
    const models = await listCallableHostedModels(sql, callerOf(admitted));
    return { object: 'list', data: models.map((model) => toCompatModel(model, owner)) };
  });

  app.get(`${inferencePrefix}/models/:id`, { config: config('models.retrieve', retrieveContract) }, async (request) => {
    const { owner, project } = readParams(request);
    // as: the path declares it.
    const { id } = request.params as { id: string };
    const admitted = await admit(request.headers, { ownerSlug: owner, projectSlug: project, model: null }).answer;
    const models = await listCallableHostedModels(sql, callerOf(admitted));
    const model = models.find(({ alias }) => alias === id);
    if (!model) throw fault('model_not_found', { param: 'model' });
    return toCompatModel(model, owner);
  });
}

function callerOf({ project, accountId, isOwner }: Admitted) {
  return { projectId: project.id, accountId, isOwner };
}
