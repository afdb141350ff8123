import type { FastifyReply, FastifyRequest } from 'fastify';
import { hasIdempotencyKey, replayHeaders } from '#calls';
import type { Caller } from '#http';
import type { InferenceDeps } from './deps.ts';
import { type Enter, enterWith, readBody } from './entry.ts';
import { ModelCall } from './model-call.ts';

/** What a compatible route does with a call; everything else is the same for all of them. */
export type CallRoute<Input> = {
  operation: string;
  /** Reads the body; throws what is wrong with it. */
  read: (body: unknown) => Input;
  answer: (call: ModelCall, input: Input) => Promise<unknown>;
  /** Sends an answer again that was stored as JSON text. */
  repeat: (stored: string, again: { input: Input; reply: FastifyReply; caller: Caller }) => FastifyReply;
};

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/**
 * Takes a call from admission to answer: sends an answer again that was stored under its `Idempotency-Key`, refuses to repeat
 * what may have been served already, records how the call ended.
 */
export async function handleCall<Input>(
  deps: InferenceDeps,
  { request, reply }: Exchange,
  route: CallRoute<Input>,
  enter: Enter = enterWith(deps.admit),
): Promise<unknown> {
  const entered = await enter(request);
  const call = new ModelCall(deps, { request, reply }, { operation: route.operation, entered });
  try {
    const input = route.read(readBody(entered.body));
    const stored = hasIdempotencyKey(request.headers) ? await call.findAnswer() : call.refuseRepetition();
    if (stored) {
      reply.headers(replayHeaders(stored.requestId));
      return route.repeat(stored.answer.body.toString(), { input, reply, caller: call.caller });
    }
    return await route.answer(call, input);
  } catch (error) {
    await call.failed(error, { hasBegun: false });
    throw error;
  } finally {
    await call.close();
  }
}

/** Sends an answer again that was stored in the form in which it is sent. */
export function repeatJson(stored: string, { reply }: { reply: FastifyReply }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(stored);
}
