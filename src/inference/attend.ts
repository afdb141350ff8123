import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '#http';
import { hasIdempotencyKey } from '#idempotency';
import { AttendedCall } from './attended-call.ts';
import type { InferenceDeps } from './deps.ts';
import { type Enter, type Entered, enterWith, readBody } from './entry.ts';

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
 * Takes a call from admission to answer. One that was admitted shortly before begins while its admission is under way, and
 * nothing of it is seen, kept, charged or noted before that has come and says the same.
 */
export async function attend<Wanted>(
  deps: InferenceDeps,
  exchange: Exchange,
  route: CallRoute<Wanted>,
  enter: Enter = enterWith(deps.admit),
): Promise<unknown> {
  const { expected, answer, entered } = enter(exchange.request);
  const inOrder = async () => takeThrough(deps, exchange, { route, entered: entered(await answer), confirmed: null });
  if (expected === null || hasIdempotencyKey(exchange.request.headers)) return inOrder();
  const confirmed = answer.then((admitted) => {
    if (admitted !== expected) throw changed;
  });
  const begun = takeThrough(deps, exchange, { route, entered: entered(expected), confirmed });
  try {
    await confirmed;
  } catch (error) {
    // What the call has begun is undone in the background. A refused caller does not wait for that; a call that begins
    // anew does.
    const undone = begun.catch(() => {});
    if (error !== changed) throw error;
    await undone;
    return inOrder();
  }
  return await begun;
}

/** What a call began with is no longer so. */
const changed = new Error('The admission of a call has changed.');

/**
 * Takes a call through that was let in, or is expected to be: sends an answer again that was kept under its
 * `Idempotency-Key`, refuses to repeat what may have been served already, notes how the call ended.
 */
async function takeThrough<Wanted>(
  deps: InferenceDeps,
  { request, reply }: Exchange,
  { route, entered, confirmed }: { route: CallRoute<Wanted>; entered: Entered; confirmed: Promise<void> | null },
): Promise<unknown> {
  const call = new AttendedCall(deps, { request, reply }, { operation: route.operation, entered, confirmed });
  try {
    const wanted = route.read(readBody(entered.body));
    const kept = hasIdempotencyKey(request.headers) ? await call.reserve() : call.begin();
    if (kept !== null) return route.repeat(kept, { wanted, reply, caller: call.caller });
    return await route.answer(call, wanted);
  } catch (error) {
    // A caller whose admission is refused must get that refusal and no other error.
    if (confirmed !== null) await confirmed;
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
