import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type Attachment,
  boundOf,
  type CallTarget,
  chargeWithin,
  fingerprintOf,
  hasIdempotencyKey,
  type OpenCall,
  requireIdempotencyKey,
  tooFewCredits,
} from '#calls';
import {
  type Caller,
  lossOf,
  type OutlivingWork,
  outliveCaller,
  type ParsedBody,
  watchCaller,
  whyItEnded,
} from '#http';
import { Fault, fault, type Micro } from '#kernel';
import type { ServedModel } from '#models';
import type { Admitted } from './admission.ts';
import type { InferenceDeps } from './deps.ts';
import { canceled, failureOf, isAmbiguous } from './failure.ts';
import { type CallObservation, observeEnd } from './observe-calls.ts';
import type { CallIdentity } from './repeat-guard.ts';

/** A call that was let in. Its body may be unreadable, which is reported only after the caller was authenticated. */
export type AdmittedCall = Admitted & { body: ParsedBody; target: CallTarget };

/** The most that a call may ask of its model. */
export type CallBounds = {
  promptTokens: number;
  maxTokens: number;
  /** Where the prompt is not the body of the request. */
  promptBytes?: number;
  /** Bytes that the prompt has beyond those of the body. */
  addedBytes?: number;
  /** Aborts when somebody else than the caller ends it. */
  stop?: AbortSignal;
};

/** What a model has done for a call. */
export type CallRun = { activeMs: number; promptTokens: number; completionTokens: number; cancelled: boolean };

/** What a call stores when it ends, with its charge. */
export type CallRecord = {
  /** Under its `Idempotency-Key`, if it has one; made after the attachment was stored. */
  body?: () => object;
  attachment?: Attachment | null;
};

/**
 * A call of a model that was admitted. A call with an `Idempotency-Key` goes on when its caller leaves: the caller comes back with
 * the key, and must not pay twice.
 */
export class ModelCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly admitted: AdmittedCall;
  readonly operation: string;
  /** Whether the answer is stored under an `Idempotency-Key`. */
  readonly hasKey: boolean;
  readonly #deps: InferenceDeps;
  readonly #open: OpenCall;
  #model: ServedModel | null = null;
  #signal: AbortSignal | null = null;
  #outliving: OutlivingWork | null = null;
  #fingerprint: Buffer | null = null;
  #refusal: Fault | null = null;
  #mayHaveRun = false;

  constructor(
    deps: InferenceDeps,
    { request, reply }: { request: FastifyRequest; reply: FastifyReply },
    { operation, admitted }: { operation: string; admitted: AdmittedCall },
  ) {
    this.request = request;
    this.reply = reply;
    this.caller = watchCaller(reply);
    this.admitted = admitted;
    this.operation = operation;
    this.hasKey = hasIdempotencyKey(request.headers);
    this.#deps = deps;
    this.#open = deps.calls.open({ id: request.id, operation, target: admitted.target });
  }

  /** The model that was called; `begin` sets it. */
  get model(): ServedModel {
    if (!this.#model) throw new Error('The call has not begun. This is a bug.');
    return this.#model;
  }

  /**
   * Why the call may not run: its account has credits, but too few. Its prompt is looked at nevertheless, as one that cannot run
   * stays wrong whatever the balance is.
   */
  get refusal(): Fault | null {
    return this.#refusal;
  }

  /** Aborted when nobody waits for the answer any more. */
  get signal(): AbortSignal {
    return this.#signal ?? this.caller.signal;
  }

  /** The answer that an earlier call with the same key has stored. */
  findAnswer(): ReturnType<InferenceDeps['calls']['findAnswer']> {
    const { accountId, fingerprint } = this.#identity();
    const key = requireIdempotencyKey(this.request.headers);
    return this.#deps.calls.findAnswer({ accountId, key, fingerprint: fingerprint() });
  }

  /** Throws `ambiguous_transport` where the call would repeat one without a key that may have been served. */
  refuseRepetition(): null {
    const { repeatGuard } = this.#deps;
    if (repeatGuard.unknown.size > 0) repeatGuard.check(this.#identity());
    return null;
  }

  /**
   * Reserves what the call may cost, its place within the limits, and its key. Throws `rate_limited`, `insufficient_credits` for an
   * account that has no credits, `idempotency_conflict` and `idempotency_in_progress`. See `refusal`.
   */
  async begin(
    model: ServedModel,
    { promptTokens, maxTokens, promptBytes, addedBytes = 0, stop }: CallBounds,
  ): Promise<void> {
    const { request, reply, admitted } = this;
    this.#model = model;
    const heldMicro = boundOf({
      promptTokensAtMost: promptTokensAtMost((promptBytes ?? contentLength(request)) + addedBytes, promptTokens),
      maxTokens,
      pace: this.#deps.engine.throughput(model.baseModel.id),
      rateMicroPerMinute: model.rateMicroPerMinute,
    });
    const idempotency = this.hasKey
      ? { key: requireIdempotencyKey(request.headers), fingerprint: this.#identity().fingerprint() }
      : null;
    const keyId = admitted.key?.id ?? null;
    const begun = await this.#open.begin({ keyId, heldMicro, limits: admitted.limited, idempotency });
    // Another call has stored its answer since `findAnswer`.
    if (begun.state === 'answered') throw fault('idempotency_in_progress');
    reply.headers(begun.headers);
    if (begun.state === 'insufficient') {
      const { availableMicro: available } = begun;
      this.#refusal = tooFewCredits('This call', { required: heldMicro, available });
      if (available <= 0n) throw this.#refusal;
      return;
    }
    this.#mayHaveRun = true;
    if (this.hasKey) this.#outliving = outliveCaller(reply);
    const signal = this.#outliving?.signal ?? this.caller.signal;
    this.#signal = stop ? AbortSignal.any([signal, stop]) : signal;
  }

  running(): void {
    this.#open.running();
  }

  /** The first piece of a streamed answer is there. */
  firstToken(): void {
    this.#open.firstToken();
  }

  /** Charges the call, and stores what is to be stored with the charge; durable when it resolves. */
  async end(run: CallRun, { body, attachment }: CallRecord): Promise<Micro> {
    const { admitted, model } = this;
    return this.#open.end(
      {
        type: 'inference',
        requestId: this.request.id,
        keyId: admitted.key?.id ?? null,
        keyName: admitted.key?.name ?? null,
        projectId: admitted.project.id,
        modelRequested: model.requested,
        modelServed: model.baseModel.id,
        modelRevision: model.revision,
        activeMs: run.activeMs,
        rateMicroPerMinute: model.rateMicroPerMinute,
        priceVersion: model.priceVersion,
        heldMicro: this.#open.heldMicro,
        usage: { promptTokens: run.promptTokens, completionTokens: run.completionTokens },
        outcome: run.cancelled ? 'client_disconnected' : 'succeeded',
      },
      {
        ...(this.hasKey && body ? { body: () => JSON.stringify(body()) } : {}),
        ...(attachment ? { attachment } : {}),
      },
    );
  }

  /** What a run costs. */
  costOf({ activeMs }: Pick<CallRun, 'activeMs'>): Micro {
    return chargeWithin(this.#open.heldMicro, { activeMs, rateMicroPerMinute: this.model.rateMicroPerMinute });
  }

  /** Records that the call was canceled before it cost anything. */
  canceled(): void {
    this.#open.failed(canceled);
  }

  /** Records a failure, in the answer (`hasBegun`) or in its place, and frees what the call has reserved. */
  async failed(error: unknown, { hasBegun }: { hasBegun: boolean }): Promise<void> {
    const isCallerGone = this.caller.signal.aborted;
    const mayHaveRun = this.#mayHaveRun;
    this.#open.failed(failureOf(error, { hasBegun, isCallerGone, mayHaveRun }));
    if (mayHaveRun && isAmbiguous(error)) this.#deps.repeatGuard.note(this.#identity(), this.request.id);
    await this.close();
  }

  /** It is over; may be called again. */
  async close(): Promise<void> {
    await this.#open.close();
    this.#outliving?.over();
  }

  #identity(): CallIdentity {
    const { method, url } = this.request;
    const { accountId, body } = this.admitted;
    const value = body.ok ? body.value : null;
    const fingerprint = () => (this.#fingerprint ??= fingerprintOf({ method, url, body: value }));
    return { accountId, fingerprint };
  }
}

const contentLength = ({ headers }: FastifyRequest): number => Number(headers['content-length']);

/** Template text around the caller's own: roles, tool preamble, think tags. */
const templateTokens = 512;

/** Upper bound of the prompt in tokens: a token is at least one byte of the body. NaN: the caller does not say how long that is. */
function promptTokensAtMost(bytes: number, maxContextTokens: number): number {
  return Number.isFinite(bytes) ? Math.min(maxContextTokens, bytes + templateTokens) : maxContextTokens;
}

export type RunSteps<Prepared, Result> = {
  /** Null: nobody is. */
  observed: CallObservation<Result> | null;
  /** Tokenises and checks limits. */
  prepare: () => Promise<Prepared>;
  /** Gives back what was prepared and is not run. */
  release: (prepared: Prepared) => void;
  /** Runs the prepared prompt. */
  run: (prepared: Prepared) => Promise<{ result: Result; run: CallRun }>;
  /** What is stored with the charge. */
  record: (result: Result) => CallRecord;
};

/**
 * Runs a call that has begun, and charges it, durably, before this resolves. What fails on the way costs nothing. A caller that
 * leaves pays for the active time until then.
 */
export function runCall<Prepared, Result>(call: ModelCall, steps: RunSteps<Prepared, Result>): Promise<Result> {
  const finish = () => runAndCharge(call, steps);
  return steps.observed ? observeEnd(steps.observed, finish) : finish();
}

async function runAndCharge<Prepared, Result>(
  call: ModelCall,
  { prepare, release, run, record }: RunSteps<Prepared, Result>,
): Promise<Result> {
  let outcome: { result: Result; run: CallRun };
  try {
    const prepared = await prepareOrRefuse(call, { prepare, release });
    call.running();
    outcome = await run(prepared);
    // The caller is still there and gets an error, so there is nothing to pay.
    if (outcome.run.cancelled && lossOf(call.signal) === 'shutdown')
      throw fault('generation_failed', { message: 'The service is shutting down.' });
  } catch (error) {
    throw whyItEnded(error, call.signal);
  }
  // Nothing ran before the caller left: nothing to pay.
  if (outcome.run.cancelled && outcome.run.activeMs === 0) {
    call.canceled();
    return outcome.result;
  }
  await call.end(outcome.run, record(outcome.result));
  return outcome.result;
}

async function prepareOrRefuse<Prepared>(
  { refusal }: ModelCall,
  { prepare, release }: Pick<RunSteps<Prepared, unknown>, 'prepare' | 'release'>,
): Promise<Prepared> {
  if (refusal === null) return prepare();
  const prepared = await prepare().catch((error: unknown) => {
    // That the model has no capacity may pass, that there are too few credits does not.
    throw error instanceof Fault && error.row.status === 503 ? refusal : error;
  });
  release(prepared);
  throw refusal;
}
