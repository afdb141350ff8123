import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Charge } from '#billing';
import type { Sql } from '#db';
import { type Caller, type OutlivingWork, outliveCaller, watchCaller } from '#http';
import { type Reservation, replayHeaders } from '#idempotency';
import type { ServedModel } from '#models';
import type { RequestTrack } from '#requests';
import type { Admitted } from './admitted.ts';
import type { Call } from './call.ts';
import type { InferenceDeps } from './deps.ts';
import { bytesOf, type Entered, promptTokensAtMost } from './entry.ts';
import { canceled, failureOf, isAmbiguous } from './failure.ts';
import { identityOf, keepCall, redeem, reserveCall } from './kept-calls.ts';
import type { CallIdentity } from './repeat-guard.ts';

type Bounds = {
  promptTokens: number;
  maxTokens: number;
  /** Where the prompt is not the body of the request. */
  promptBytes?: number;
  /** Bytes that the prompt has beyond those of the body. */
  addedBytes?: number;
  /** Aborts when somebody else than the caller ends it. */
  stop?: AbortSignal;
};

/** In the transaction `tx`, if it is one. */
type KeepAnswer<Result> = (result: Result, charge: Charge, tx?: Sql) => Promise<void>;

/**
 * A call that was let in, in the hands of its route. A call with an `Idempotency-Key` goes on when its caller leaves: he
 * comes back with the key, and must not pay twice. (A class: one is made for every call, and methods cost it nothing.)
 */
export class AttendedCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly admitted: Admitted;
  readonly #operation: string;
  readonly #deps: InferenceDeps;
  readonly #entered: Entered;
  readonly #track: RequestTrack;
  #reservation: Reservation | null = null;
  #outliving: OutlivingWork | null = null;
  #mayHaveRun = false;

  constructor(
    deps: InferenceDeps,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    { operation, entered }: { operation: string; entered: Entered },
  ) {
    this.request = request;
    this.reply = reply;
    this.caller = watchCaller(reply);
    this.admitted = entered.admitted;
    this.#operation = operation;
    this.#deps = deps;
    this.#entered = entered;
    this.#track = deps.requests.begin({ id: request.id, operation, target: entered.target });
  }

  /** Whether the answer is kept under an `Idempotency-Key`. */
  get isKept(): boolean {
    return this.#reservation !== null;
  }

  /** Begins a call without a key. Throws `ambiguous_transport` when it would repeat one that may have been served. */
  begin(): null {
    const { repeatGuard } = this.#deps;
    if (repeatGuard.isAlert()) repeatGuard.check(this.#identity());
    this.#mayHaveRun = true;
    return null;
  }

  /** Begins a call with a key; or finds the answer, paid for, that an earlier one has kept. */
  async reserve(): Promise<string | null> {
    const { idempotency, billing } = this.#deps;
    const reservation = await reserveCall(idempotency, this.request, this.#identity());
    this.#reservation = reservation;
    if (reservation.kept) {
      const kept = await redeem(billing, reservation.kept);
      this.reply.headers(replayHeaders(reservation.requestId));
      return kept;
    }
    this.#outliving = outliveCaller(this.reply);
    this.#mayHaveRun = true;
    return null;
  }

  /** The part of the call that engine and books see. */
  callFor(model: ServedModel, { promptTokens, maxTokens, promptBytes, addedBytes = 0, stop }: Bounds): Call {
    const signal = this.#outliving?.signal ?? this.caller.signal;
    return {
      requestId: this.request.id,
      operation: this.#operation,
      admitted: this.admitted,
      model,
      promptTokensAtMost: promptTokensAtMost((promptBytes ?? bytesOf(this.request)) + addedBytes, promptTokens),
      maxTokens,
      signal: stop ? AbortSignal.any([signal, stop]) : signal,
      track: this.#track,
      reply: this.reply,
    };
  }

  /** Keeps what `render` makes of a result, before it is charged; null without a key. */
  keeping<Result>(render: (result: Result) => object): KeepAnswer<Result> | null {
    const reservation = this.#reservation;
    return reservation && ((result, charge, tx) => keepCall(reservation, { body: render(result), charge }, tx));
  }

  /** Notes that the call was given up before it cost anything. */
  canceled(): void {
    this.#track.failed(canceled);
  }

  /** Notes a failure, in the answer (`hasBegun`) or in its place, and gives the key back. */
  async failed(error: unknown, { hasBegun }: { hasBegun: boolean }): Promise<void> {
    const isCallerGone = this.caller.signal.aborted;
    const mayHaveRun = this.#mayHaveRun;
    this.#track.failed(failureOf(error, { hasBegun, isCallerGone, mayHaveRun }));
    if (mayHaveRun && isAmbiguous(error)) this.#deps.repeatGuard.note(this.#identity(), this.request.id);
    await this.#reservation?.release();
  }

  over(): void {
    this.#track.over();
    this.#outliving?.over();
  }

  #identity(): CallIdentity {
    return identityOf(this.request, this.#entered);
  }
}
