import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, convertQuery, openAiErrors, readBody } from '#http';
import type { TextSeal } from '#kernel';
import { Fault, fault } from '#kernel';
import { callPrefix, type ProtocolContext } from '../../protocol.ts';
import type { StoredResponse } from '../../stored-responses.ts';
import { refuse } from '../openai/refuse.ts';
import { eventsOf } from './events.ts';
import { readCountRequest } from './request.ts';
import type { ResponseBody } from './response-body.ts';
import { reword } from './reword.ts';
import {
  cancelContract,
  countContract,
  deleteContract,
  itemsContract,
  itemsQuery,
  retrieveContract,
  retrieveQuery,
} from './stored.contract.ts';
import { findStored, withStored } from './stored-input.ts';

type Params = { Params: { id: string } };

const responsesPath = `${callPrefix}/openai/v1/responses`;

/** What is stored of responses: read, listed, deleted; and tokens counted. */
export function storedRoutes(app: FastifyInstance, context: ProtocolContext, seal: TextSeal): void {
  const config = (operation: string, contract: Contract) =>
    ({ operation, access: 'admission', envelope: openAiErrors, contract }) as const;

  async function find(request: FastifyRequest<Params>): Promise<StoredResponse> {
    const found = await findStored(await context.stored(request), request.params.id);
    if (found === null) throw missing(request.params.id);
    return found;
  }

  app.get<Params>(
    `${responsesPath}/:id`,
    { config: config('responses.retrieve', retrieveContract) },
    async (request, reply) => {
      const { body } = await find(request);
      const { stream, starting_after: after } = readBody(retrieveQuery, convertQuery(retrieveQuery, request.query));
      // as: only `collect` makes the bodies of responses.
      return stream ? streamAgain(reply, body as ResponseBody, after ?? -1) : body;
    },
  );

  app.delete<Params>(
    `${responsesPath}/:id`,
    { config: config('responses.delete', deleteContract) },
    async (request) => {
      const { id } = request.params;
      const stored = await context.stored(request);
      if ((await findStored(stored, id)) === null || !(await stored.remove(id))) throw missing(id);
      return { id, object: 'response', deleted: true };
    },
  );

  app.get<Params>(
    `${responsesPath}/:id/input_items`,
    { config: config('responses.input_items', itemsContract) },
    async (request) => listOf(await find(request), request.query),
  );

  app.post<Params>(
    `${responsesPath}/:id/cancel`,
    { config: config('responses.cancel', cancelContract) },
    async (request) => {
      await find(request);
      throw fault('invalid_request', {
        message:
          'Only responses that are made in the background can be cancelled. Close the connection to end an answer.',
      });
    },
  );

  app.post(
    `${responsesPath}/input_tokens`,
    { config: { ...config('responses.count', countContract), json: { exact: ['tools', 'text'], badText: 'replace' } } },
    async (request, reply) => {
      try {
        return { object: 'response.input_tokens', input_tokens: await count(request, reply) };
      } catch (error) {
        throw error instanceof Fault ? reword(error) : error;
      }
    },
  );

  function count(request: FastifyRequest, reply: FastifyReply): Promise<number> {
    return context.countPrompt({ request, reply }, async (body) =>
      withStored(readCountRequest(body, seal), await context.stored(request), seal),
    );
  }
}

function missing(id: string): Fault {
  return fault('not_found', { param: 'response_id', message: `Response with id '${id.slice(0, 80)}' not found.` });
}

function streamAgain(reply: FastifyReply, body: ResponseBody, after: number): string {
  reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-cache, no-transform');
  return eventsOf(body)
    .slice(after + 1)
    .join('');
}

function listOf({ input }: StoredResponse, query: unknown): object {
  const { limit = 20, order = 'desc', after } = readBody(itemsQuery, convertQuery(itemsQuery, query));
  const items = order === 'desc' ? input.toReversed() : input;
  const place = after === undefined ? -1 : items.findIndex((item) => idOf(item) === after);
  if (after !== undefined && place < 0) throw refuse('after', 'names no item of this list');
  const data = items.slice(place + 1, place + 1 + limit);
  const ids = data.map(idOf);
  return {
    object: 'list',
    data,
    first_id: ids[0] ?? null,
    last_id: ids.at(-1) ?? null,
    has_more: items.length > place + 1 + limit,
  };
}

const idOf = (item: object): string | null => ('id' in item && typeof item.id === 'string' ? item.id : null);
