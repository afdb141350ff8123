import type { FastifyInstance } from 'fastify';
import { type Contract, openAiErrors } from '#http';
import { fault } from '#kernel';
import { toCompatModel } from '#models';
import { callPrefix, type ProtocolContext } from '../../protocol.ts';
import { listContract, retrieveContract } from './models.contract.ts';

/** GET P/models and P/models/{id}: the hosted models that the caller may call in this project, nothing else. */
export function modelsRoutes(app: FastifyInstance, { listModels }: ProtocolContext): void {
  const path = `${callPrefix}/openai/v1/models`;
  const config = (operation: string, contract: Contract) =>
    ({ operation, access: 'admission', envelope: openAiErrors, contract }) as const;

  app.get<{ Params: { owner: string } }>(path, { config: config('models.list', listContract) }, async (request) => {
    const models = await listModels(request);
    return { object: 'list', data: models.map((model) => toCompatModel(model, request.params.owner)) };
  });

  app.get<{ Params: { owner: string; id: string } }>(
    `${path}/:id`,
    { config: config('models.retrieve', retrieveContract) },
    async (request) => {
      const { owner, id } = request.params;
      const model = (await listModels(request)).find(({ alias }) => alias === id);
      if (!model) throw fault('model_not_found', { param: 'model' });
      return toCompatModel(model, owner);
    },
  );
}
