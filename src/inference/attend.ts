import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#http';
import { hasIdempotencyKey } from '#idempotency';
import { AttendedCall } from './attended-call.ts';
import type { InferenceDeps } from './deps.ts';
import { type Enter, enterWith, readBody } from './entry.ts';

/** What a compatible route does with a call; everything else is the same for all of them. */
export type CallRoute<Wanted> = {
  operation: string;
  /** Reads the body; throws what is wrong with it. */
  read: (body: unknown) => Wanted;
  answer: (call: AttendedCall, wanted: Wanted) => Promise<unknown>;
  /** Sends an answer again that was kept as JSON text. */
  repeat: (kept: string, again: { wanted: Wanted; reply: FastifyReply; caller: Caller }) => FastifyReply;
};

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Takes a call from admission to answer: sends an answer again that was stored under its `Idempotency-Key`, refuses to repeat
 * what may have been served already, records how the call ended.
 */
export async function attend<Wanted>(
  deps: InferenceDeps,
  { request, reply }: Exchange,
  route: CallRoute<Wanted>,
  enter: Enter = enterWith(deps.admit),
): Promise<unknown> {
  const entered = await enter(request);
  const call = new AttendedCall(deps, { request, reply }, { operation: route.operation, entered });
  try {
    const wanted = route.read(readBody(entered.body));
    const kept = hasIdempotencyKey(request.headers) ? await call.reserve() : call.begin();
    if (kept !== null) return route.repeat(kept, { wanted, reply, caller: call.caller });
    return await route.answer(call, wanted);
  } catch (error) {
    await call.failed(error, { hasBegun: false });
    throw error;
  } finally {
    call.over();
  }
}

/** Sends an answer again that was kept in the form in which it is sent. */
export function repeatJson(kept: string, { reply }: { reply: FastifyReply }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(kept);
}
