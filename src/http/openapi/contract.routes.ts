import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { fault } from '#kernel';
import { answerCacheable } from '../cached-answer.ts';
import type { TypeBoxProvider } from '../validation.ts';
import { language, listContract, retrieveContract, wholeContract } from './contract.contract.ts';
import { languages } from './model.ts';
import { createPublication } from './publication.ts';
import { referenceRoutes } from './reference.routes.ts';

const querystring = Type.Object({ lang: language });
const params = Type.Object({ operationId: Type.String() });
const config = (operation: string) => ({ operation, access: 'public' }) as const;

/** The published contract: whole documents, the index of operations, one document for each, and the readable reference. */
export async function contractRoutes(app: FastifyInstance): Promise<void> {
  const publication = createPublication(app.routeTable.rows);

  for (const each of languages)
    for (const format of ['json', 'yaml'] as const)
      app.get(
        `/api/v1/openapi.${each}.${format}`,
        { config: { ...config(`contract.${format}_${each}`), contract: wholeContract(format, each) } },
        (request, reply) => answerCacheable(request, reply, publication[format](each)),
      );

  const typed = app.withTypeProvider<TypeBoxProvider>();
  typed.get(
    '/api/v1/operations',
    { config: { ...config('operations.list'), contract: listContract }, schema: { querystring } },
    (request, reply) => answerCacheable(request, reply, publication.index(request.query.lang ?? 'en')),
  );
  typed.get(
    '/api/v1/operations/:operationId',
    { config: { ...config('operations.read'), contract: retrieveContract }, schema: { querystring, params } },
    (request, reply) => {
      const document = publication.operation(request.query.lang ?? 'en', request.params.operationId);
      if (!document) throw fault('not_found', { message: 'There is no such operation.' });
      return answerCacheable(request, reply, document);
    },
  );

  await referenceRoutes(app);
}
