import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import type { Database } from '#db';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { once } from '#idempotency';
import type { CursorCodec } from '#kernel';
import { activateContract, createContract, deactivateContract, deleteContract, listContract } from './keys.contract.ts';
import { createKeyBody, keyToWire } from './keys.schema.ts';
import { deleteKey, issueKey, type KeyChange, listKeys, setKeyActive } from './keys.ts';

export type KeysDeps = { database: Database; cursors: CursorCodec };

type KeyRoute = { Params: { keyId: string } };

/** Routes of the key lifecycle (interface 4.6), for the account of the caller. */
export function keysRoutes(deps: KeysDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const { database } = deps;

    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/keys',
      { config: { operation: 'keys.list', contract: listContract }, schema: { querystring: plainPageQuery } },
      async ({ principal: { accountId }, query }) =>
        pageOf({ ...(await listKeys(deps, { accountId, ...readPage(query) })), toWire: keyToWire }),
    );

    typed.post(
      '/api/v1/keys',
      { config: { operation: 'keys.create', contract: createContract }, schema: { body: createKeyBody } },
      async (request, reply) => {
        const { name } = request.body;
        const { keyId: madeBy } = request.principal;
        const { record, key } = await once(request, database).transaction((tx) =>
          issueKey(tx, { ...changeBy(request), name, madeBy }),
        );
        // The only answer that ever holds the secret must not stay in a cache.
        reply.code(201).header('cache-control', 'no-store');
        return { ...keyToWire(record), key };
      },
    );

    for (const [verb, active, contract] of [
      ['activate', true, activateContract],
      ['deactivate', false, deactivateContract],
    ] as const)
      app.patch<KeyRoute>(
        `/api/v1/keys/:keyId/${verb}`,
        { config: { operation: `keys.${verb}`, contract } },
        async (request) => {
          const address = { ...changeBy(request), keyId: request.params.keyId };
          return keyToWire(await database.transaction((tx) => setKeyActive(tx, address, active)));
        },
      );

    app.delete<KeyRoute>(
      '/api/v1/keys/:keyId',
      { config: { operation: 'keys.delete', contract: deleteContract } },
      async (request, reply) => {
        const address = { ...changeBy(request), keyId: request.params.keyId };
        await database.transaction((tx) => deleteKey(tx, address));
        return reply.code(204).send();
      },
    );
  };
}

/** Whose keys a request changes, and who is told to have done it. */
function changeBy({ principal, id }: FastifyRequest): KeyChange {
  return { accountId: principal.accountId, actor: actorOf(principal), requestId: id };
}
