import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge } from '#billing';
import { type Caller, outliveCaller, watchCaller } from '#http';
import { type Reservation, replayHeaders } from '#idempotency';
import type { ServedModel } from '#models';
import type { RequestTrack } from '#requests';
import type { Admitted } from './admission.ts';
import type { Call } from './call.ts';
import type { InferenceDeps } from './deps.ts';
import { enter, promptTokensAtMost, readBody } from './entry.ts';
import { failureOf, isAmbiguous } from './failure.ts';
import { identityOf, keepCall, redeem, reserve } from './kept-calls.ts';

/** What a compatible route does with a call; everything else is the same for all of them. */
export type CallRoute<Wanted> = {
  operation: string;
  /** Reads the body; throws what is wrong with it. */
  read: (body: unknown) => Wanted;
  answer: (attended: Attended<Wanted>) => Promise<unknown>;
  /** Sends an answer again that was kept as JSON text. */
  repeat: (kept: string, again: { wanted: Wanted; reply: FastifyReply; caller: Caller }) => FastifyReply;
};

/** A call in the hands of its route. */
export type Attended<Wanted> = {
  request: FastifyRequest;
  reply: FastifyReply;
  caller: Caller;
  admitted: Admitted;
  wanted: Wanted;
  /** The part of the call that engine and books see. */
  callFor: (model: ServedModel, bounds: { promptTokens: number; maxTokens: number }) => Call;
  /** Keeps the answer to a call with an `Idempotency-Key`, before it is charged; null without one. */
  keep: ((body: object, charge: Charge) => Promise<void>) | null;
  /** Takes a failure that cannot be thrown, because the answer has begun. */
  failed: (error: unknown) => Promise<void>;
};

type Parts<Wanted> = Omit<Attended<Wanted>, 'callFor' | 'keep' | 'failed'> & {
  track: RequestTrack;
  reservation: Reservation | null;
  /** Notes how a call ended that was sent to a model, or was about to be. */
  note: (error: unknown, hasBegun: boolean) => void;
};

/**
 * Takes a call from admission to answer: sends an answer again that was kept under its `Idempotency-Key`, refuses to
 * repeat what may have been served already, notes how the call ended.
 */
export async function attend<Wanted>(
  deps: InferenceDeps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  route: CallRoute<Wanted>,
): Promise<unknown> {
  const { admitted, body, target } = await enter(deps.admit, request);
  const { accountId } = admitted;
  const identity = identityOf(request, accountId, body.ok ? body.value : null);
  const caller = watchCaller(reply);
  const track = deps.requests.begin({ id: request.id, accountId, operation: route.operation, ...target });

  function note(error: unknown, hasBegun: boolean): void {
    track.failed(failureOf(error, { hasBegun, isCallerGone: caller.signal.aborted, mayHaveRun: true }));
    if (isAmbiguous(error)) deps.repeatGuard.note(identity, request.id);
  }

  async function check() {
    const wanted = route.read(readBody(body));
    const reservation = await reserve(deps.idempotency, request, identity);
    if (!reservation) deps.repeatGuard.check(identity);
    return { wanted, reservation, kept: reservation?.kept ? await redeem(deps.billing, reservation.kept) : null };
  }

  try {
    const { wanted, reservation, kept } = await check().catch((error: unknown) => {
      track.failed(failureOf(error, { hasBegun: false, isCallerGone: caller.signal.aborted, mayHaveRun: false }));
      throw error;
    });
    if (reservation && kept !== null) {
      reply.headers(replayHeaders(reservation.requestId));
      return route.repeat(kept, { wanted, reply, caller });
    }
    return await answer({ request, reply, caller, admitted, wanted, track, reservation, note }, route);
  } finally {
    track.over();
  }
}

/** A call with a key goes on when its caller leaves: he comes back with the key, and must not pay twice. */
async function answer<Wanted>(
  { track, reservation, note, ...parts }: Parts<Wanted>,
  route: CallRoute<Wanted>,
): Promise<unknown> {
  const { request, reply, caller, admitted } = parts;
  const outliving = reservation && outliveCaller(reply);
  const attended: Attended<Wanted> = {
    ...parts,
    callFor: (model, { promptTokens, maxTokens }) => ({
      requestId: request.id,
      operation: route.operation,
      admitted,
      model,
      promptTokensAtMost: promptTokensAtMost(request, promptTokens),
      maxTokens,
      signal: outliving?.signal ?? caller.signal,
      track,
      announce: (headers) => void reply.headers(headers),
    }),
    keep: reservation && ((body, charge) => keepCall(reservation, body, charge)),
    failed: async (error) => {
      note(error, true);
      await reservation?.release();
    },
  };
  try {
    return await route.answer(attended);
  } catch (error) {
    note(error, false);
    await reservation?.release();
    throw error;
  } finally {
    outliving?.over();
  }
}

/** Sends an answer again that was kept in the form in which it is sent. */
export function repeatJson(kept: string, { reply }: { reply: FastifyReply }): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(kept);
}
