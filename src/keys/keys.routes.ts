import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '#activity';
import { once } from '#calls';
import type { Database, Sql } from '#db';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import type { CursorCodec } from '#kernel';
import { readLimitsChange, viewLimits } from '#limits';
import { activateContract, createContract, deactivateContract, deleteContract, listContract } from './keys.contract.ts';
import { createKeyBody, type KeyWire, keyToWire } from './keys.schema.ts';
import type { KeyRecord } from './keys.store.ts';
import { deleteKey, issueKey, type KeyChange, listKeys, setKeyActive } from './keys.ts';

export type KeysDeps = { database: Database; cursors: CursorCodec };

type KeyRoute = { Params: { keyId: string } };

export function keysRoutes(deps: KeysDeps) {
  return async (app: FastifyInstance): Promise<void> => {
    const { database } = deps;

    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      '/api/v1/keys',
      { config: { operation: 'keys.list', contract: listContract }, schema: { querystring: plainPageQuery } },
      async ({ principal: { accountId }, query }) => {
        const page = await listKeys(deps, { accountId, ...readPage(query) });
        const limits = await viewLimits(database, page.rows);
        return pageOf({ ...page, toWire: (key) => keyToWire(key, limits.get(key.id)) });
      },
    );

    typed.post(
      '/api/v1/keys',
      { config: { operation: 'keys.create', contract: createContract }, schema: { body: createKeyBody } },
      async (request, reply) => {
        const { name, limits } = request.body;
        const input = { ...changeBy(request), name, limits: limits && readLimitsChange(limits, 'limits.') };
        const { record, key } = await once(request, database).transaction(async (tx) => {
          const issued = await issueKey(tx, input);
          return { ...issued, record: await shown(tx, issued.record) };
        });
        // The only answer that ever holds the secret must not stay in a cache.
        reply.code(201).header('cache-control', 'no-store');
        return { ...record, key };
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
          return shown(database, await database.transaction((tx) => setKeyActive(tx, address, active)));
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

async function shown(sql: Sql, key: KeyRecord): Promise<KeyWire> {
  return keyToWire(key, (await viewLimits(sql, [key])).get(key.id));
}

function changeBy({ principal, id }: FastifyRequest): KeyChange {
  return { accountId: principal.accountId, actor: actorOf(principal), requestId: id, callerKeyId: principal.keyId };
}
