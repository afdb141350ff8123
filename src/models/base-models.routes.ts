import type { FastifyInstance } from 'fastify';
import type { RuntimeStatus } from '#engine';
import { pageOf, plainPageQuery, readPage } from '#http';
import type { CursorCodec } from '#kernel';
import { type BaseModel, isServed } from './base-model.ts';
import { listContract } from './base-models.contract.ts';
import { toBaseModelWire } from './base-models.schema.ts';
import type { ModelsService } from './models-service.ts';

export type BaseModelsDeps = {
  models: ModelsService;
  cursors: CursorCodec;
  runtimeStatus: (baseModelId: string) => RuntimeStatus;
};

/** The list is the same for everybody, so its cursors have one scope. */
const scope = ['base-models'];

/** GET /api/v1/base-models: the catalogue, newest first, as a cursor page. */
export function baseModelsRoutes({ models, cursors, runtimeStatus }: BaseModelsDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const config = { operation: 'base_models.list', contract: listContract };
    app.get('/api/v1/base-models', { config, schema: { querystring: plainPageQuery } }, async (request) => {
      const { limit, cursor } = readPage(request.query);
      const [createdMs, id] = cursor === null ? [] : cursors.decode(scope, cursor);
      const all = models.baseModels().toSorted(newestFirst);
      return pageOf({
        rows: all.filter((model) => isAfter(model, createdMs, id)).slice(0, limit + 1),
        limit,
        totalCount: all.length,
        cursorOf: (model) => cursors.encode(scope, [String(model.created.getTime()), model.id]),
        toWire: (model) => {
          const runtime = isServed(model) ? runtimeStatus(model.id).status : null;
          return toBaseModelWire(model, runtime, models.trainingProfile(model.id));
        },
      });
    });
  };
}

function newestFirst(a: BaseModel, b: BaseModel): number {
  return b.created.getTime() - a.created.getTime() || (a.id < b.id ? 1 : -1);
}

/** Whether a model comes after the cursor's position; without one, every model does. */
function isAfter(model: BaseModel, createdMs: string | undefined, id: string | undefined): boolean {
  if (createdMs === undefined || id === undefined) return true;
  const difference = model.created.getTime() - Number(createdMs);
  return difference < 0 || (difference === 0 && model.id < id);
}
