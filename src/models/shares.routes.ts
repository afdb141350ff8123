import type { FastifyInstance } from 'fastify';
import type { Static } from 'typebox';
import { once } from '#calls';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { aliasId, hostedPath } from './hosted-models.routes.ts';
import { authorizeHostedRead, authorizeHostedWrite } from './hosted-scope.ts';
import type { ModelsService } from './models-service.ts';
import { createShareContract, deleteShareContract, listSharesContract } from './shares.contract.ts';
import { shareBody, shareToWire } from './shares.schema.ts';
import { pageOfShares, type ShareDeps, type ShareRequest, shareModel, unshareModel } from './shares.ts';

const sharesPath = `${hostedPath}/shares`;

type ShareRoute = { Params: { hostedModelId: string; shareId: string } };

export function sharesRoutes(deps: ShareDeps & { models: ModelsService }) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();
    const { database } = deps;

    typed.get(
      sharesPath,
      {
        config: { operation: 'model_shares.list', contract: listSharesContract },
        schema: { querystring: plainPageQuery },
      },
      async (request) => {
        const scope = await authorizeHostedRead(database, request);
        const id = aliasId(deps, request, 'shared');
        return pageOf({
          ...(await pageOfShares(deps, scope, { id, ...readPage(request.query) })),
          toWire: shareToWire,
        });
      },
    );

    typed.post(
      sharesPath,
      { config: { operation: 'model_shares.create', contract: createShareContract }, schema: { body: shareBody } },
      async (request, reply) => {
        const scope = await authorizeHostedWrite(database, request);
        const id = aliasId(deps, request, 'shared');
        const inOnce = { ...deps, database: once(request, database) };
        const { share, isNew } = await shareModel(inOnce, scope, { id, request: shareRequestOf(request.body) });
        reply.code(isNew ? 201 : 200);
        return shareToWire(share);
      },
    );

    app.delete<ShareRoute>(
      `${sharesPath}/:shareId`,
      { config: { operation: 'model_shares.delete', contract: deleteShareContract } },
      async (request, reply) => {
        const scope = await authorizeHostedWrite(database, request);
        const id = aliasId(deps, request, 'shared');
        await unshareModel(deps, scope, { id, shareId: request.params.shareId });
        return reply.code(204).send();
      },
    );
  };
}

function shareRequestOf({ account_slug: accountSlug, expires_at: expiresAt }: Static<typeof shareBody>): ShareRequest {
  return { accountSlug, expiresAt: expiresAt ?? null };
}
