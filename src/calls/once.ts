import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import pLimit from 'p-limit';
import { type Database, type HeldTransaction, holdTransaction } from '#db';
import { fault } from '#kernel';
import { storeAnswer } from './answers.store.ts';
import type { StoredAnswer } from './calls.store.ts';
import type { Calls } from './calls.ts';
import { fingerprintOf, requireIdempotencyKey } from './idempotency-key.ts';
import { type BeginOptions, type Begun, hasIdempotencyKey, keyWasLost, type OpenCall } from './open-call.ts';
import { credentialOf, type SealOwner, seal, unseal } from './seal.ts';

/** A native request with an `Idempotency-Key`: all it changes is one transaction, which stores the answer too. */
type Once = { call: OpenCall; transaction: HeldTransaction; owner: SealOwner };

const onceOf = Symbol('once');
declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route obeys `Idempotency-Key` by itself, because its work is too long for a transaction. */
    keepsAnswers?: boolean;
  }
}

type Keyed = FastifyRequest & { [onceOf]?: Once };

/** Fewer than the fewest connections that a pool may have: calls of models never wait for these transactions. */
const transactionsAtOnce = 3;

/**
 * The database for what a route with `contract.idempotent` changes. With an `Idempotency-Key` it is one transaction that
 * is committed with the answer, so the change and the answer that repeats get happen together or not at all; without
 * one it is `database` itself. Locks are held until the answer is sent: do nothing slow in between.
 */
export function once(request: FastifyRequest, database: Database): Database {
  return (request as Keyed)[onceOf]?.transaction.database ?? database;
}

/** Makes every native route that is registered later and says `contract.idempotent` obey `Idempotency-Key`. */
export function obeyIdempotencyKeys(app: FastifyInstance, deps: { calls: Calls; database: Database }): void {
  const hooks = createHooks(deps);
  app.addHook('onRoute', (route) => {
    const { contract, access, keepsAnswers } = route.config ?? {};
    if (!contract?.idempotent || access === 'admission' || keepsAnswers) return;
    route.preHandler = [...[route.preHandler ?? []].flat(), hooks.begin];
    // First: what the handler said about caches tells which answers hold a secret, before all others are kept from them too.
    route.onSend = [hooks.end, ...[route.onSend ?? []].flat()];
  });
}

function createHooks({ calls, database }: { calls: Calls; database: Database }) {
  const limit = pLimit(transactionsAtOnce);
  const gated: Database = { ...database, transaction: (work) => limit(() => database.transaction(work)) };

  return {
    /** After the request was authenticated and found valid: what is refused before this was never run. */
    async begin(request: Keyed, reply: FastifyReply): Promise<FastifyReply | undefined> {
      if (!hasIdempotencyKey(request.headers)) return undefined;
      const key = requireIdempotencyKey(request.headers);
      const { accountId } = request.principal;
      const owner = { credential: credentialOf(request.headers), accountId, key };
      const operation = request.routeOptions.config.operation ?? request.routeOptions.url ?? '';
      const call = calls.open({
        id: request.id,
        operation,
        target: { accountId, project: null, model: null, key: null },
      });
      const idempotency = { key, fingerprint: fingerprintOf(request) };
      const begun = await begin(call, { keyId: null, heldMicro: 0n, limits: null, idempotency });
      if (begun.state === 'answered') {
        await call.close();
        return replay(reply, begun, owner);
      }
      request[onceOf] = { call, transaction: holdTransaction(gated), owner };
      return undefined;
    },

    async end(request: Keyed, reply: FastifyReply, payload: unknown): Promise<unknown> {
      const held = request[onceOf];
      // If this hook throws, its error is answered like any other and the hook runs again for that answer: by then
      // nothing is held.
      delete request[onceOf];
      if (!held) return payload;
      if (reply.statusCode < 400) await commit(held, reply, payload);
      else await abandon(held);
      return payload;
    },
  };
}

async function begin(call: OpenCall, options: BeginOptions): Promise<Begun> {
  try {
    return await call.begin(options);
  } catch (error) {
    await call.close();
    throw error;
  }
}

async function commit({ call, transaction, owner }: Once, reply: FastifyReply, payload: unknown): Promise<void> {
  const body = bytesOf(payload);
  // An answer of which its handler says that no cache may keep it holds a secret.
  const isSealed = String(reply.getHeader('cache-control') ?? '').includes('no-store');
  const answer = { status: reply.statusCode, body: isSealed ? seal(body, owner) : body, isSealed };
  try {
    await transaction.commit(async (tx) => {
      if (!(await storeAnswer(tx, call.id, answer))) throw keyWasLost();
    });
  } finally {
    // What was not committed is undone; a stored answer stays.
    await call.close();
  }
}

async function abandon({ call, transaction }: Once): Promise<void> {
  await transaction.rollback();
  await call.close();
}

/** Sends a stored answer again. */
function replay(
  reply: FastifyReply,
  { requestId, answer }: { requestId: string; answer: StoredAnswer },
  owner: SealOwner,
): FastifyReply {
  const body = openBody(answer, owner);
  reply.code(answer.status).headers(replayHeaders(requestId));
  if (answer.isSealed) reply.header('cache-control', 'no-store');
  if (body.length === 0) return reply.send();
  return reply.type('application/json; charset=utf-8').send(body.toString());
}

function openBody({ body, isSealed }: StoredAnswer, owner: SealOwner): Buffer {
  const opened = isSealed ? unseal(body, owner) : body;
  if (opened) return opened;
  throw fault('idempotency_conflict', {
    message: 'This answer holds a secret: only the credential of the first request can have it again.',
  });
}

/** What tells a stored answer from a new one: its mark, and the request that did the work. */
export function replayHeaders(requestId: string): Record<string, string> {
  return { 'idempotent-replay': 'true', 'x-fnf-request-id': requestId };
}

function bytesOf(payload: unknown): Buffer {
  if (typeof payload === 'string') return Buffer.from(payload);
  if (Buffer.isBuffer(payload)) return payload;
  if (payload === undefined || payload === null) return Buffer.alloc(0);
  throw new Error('An answer that is kept must be JSON. This is a bug.');
}
