import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import {
  type Clock,
  type Fault,
  fault,
  type InFlight,
  isUnavailableFault,
  type Micro,
  storable,
  timeOfId,
} from '#kernel';
import { type CheckedSubject, type LimitedSubject, limitHeaders, refusalOf } from '#limits';
import type { Attachment, CallBatches } from './call-batches.ts';
import { type BeginRequest, endCall, type StoredAnswer, type UsageBySubject } from './calls.store.ts';
import type { Charge } from './charge.ts';
import type { EndState, RequestEnd } from './request-log.store.ts';
import type { EndedCalls } from './request-log.ts';
import type { CallProgress, ReceivedRequest } from './request-record.ts';

/** A call that has arrived. */
export type NewCall = {
  id: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  target: CallTarget;
};

/** Who calls what. */
export type CallTarget = Pick<ReceivedRequest, 'accountId' | 'project' | 'model' | 'key'>;

/** How a call ended that was not charged. */
export type CallFailure = {
  state: Exclude<EndState, 'succeeded'>;
  httpStatus: number | null;
  errorCode: string | null;
  errorMessage: string | null;
};

export type BeginOptions = Pick<BeginRequest, 'keyId' | 'heldMicro' | 'limits' | 'idempotency'>;

export type Begun =
  /** `headers` show how far the limits of the caller are used. */
  | { state: 'begun'; headers: Record<string, string> }
  | { state: 'insufficient'; availableMicro: Micro; headers: Record<string, string> }
  /** The key has an answer already. */
  | { state: 'answered'; requestId: string; answer: StoredAnswer };

export type EndOptions = {
  /** Makes what is stored under the call's key, which needs it; called after the attachment was stored. */
  body?: () => string;
  /** Stored in the same transaction as the charge. */
  attachment?: Attachment;
};

export type OpenCallDeps = {
  batches: CallBatches;
  ended: EndedCalls;
  clock: Clock;
  open: Map<string, OpenCall>;
  /** Counts what calls are doing with the database, so that whoever stops can wait for it. */
  inFlight: InFlight;
  serverId: string;
  endForMs: number;
  charged: Set<string>;
};

type Unsettled<C extends Charge = Charge> = Omit<C, 'callId' | 'isLimited' | 'accountId' | 'operation'>;

/** Outcomes after which there is no row of this call. */
const beganNothing: ReadonlySet<string> = new Set(['insufficient', 'limited', 'answered', 'conflict']);
const attempts = 5;
const firstPauseMs = 20;
const longestPauseMs = 1_000;
const longestModel = 200;
const longestMessage = 500;
const longestMs = 2 ** 31 - 1;

/**
 * A call, or other paid work of a server, from its arrival to its end: `begin` reserves what it may cost, `end` charges it, and
 * `close` undoes what has begun and was not charged. What dies with the process is reaped by other servers.
 */
export class OpenCall {
  readonly id: string;
  readonly operation: string;
  /** Its `model` is what PostgreSQL can store of what the caller wrote. */
  readonly target: CallTarget;
  readonly #deps: OpenCallDeps;
  #progress: CallProgress = 'received';
  #request: BeginRequest | null = null;
  /** A row may exist. */
  #mayHaveBegun = false;
  #isClosed = false;
  #firstTokenMs: number | null = null;

  constructor({ id, operation, target }: NewCall, deps: OpenCallDeps) {
    this.id = id;
    this.operation = operation;
    const model = target.model?.slice(0, longestModel).toWellFormed().replaceAll('\0', '') ?? null;
    this.target = { ...target, model };
    this.#deps = deps;
  }

  get heldMicro(): Micro {
    return this.#request?.heldMicro ?? 0n;
  }

  get hasKey(): boolean {
    return this.#request?.idempotency != null;
  }

  /** Throws `rate_limited`, `idempotency_conflict`, `idempotency_in_progress`, and `service_unavailable`. */
  begin(options: BeginOptions): Promise<Begun> {
    return this.#deps.inFlight.track(this.#begin(options));
  }

  async #begin(options: BeginOptions): Promise<Begun> {
    const { batches, open, serverId } = this.#deps;
    const { id: requestId, operation, target } = this;
    const { accountId, project, model } = target;
    const request = { ...options, requestId, operation, accountId, projectId: project?.id ?? null, model };
    this.#request = request;
    this.#mayHaveBegun = true;
    for (let attempt = 1; ; attempt++) {
      const result = await batches.begin(request);
      this.#mayHaveBegun = !beganNothing.has(result.outcome);
      switch (result.outcome) {
        case 'begun':
          return { state: 'begun', headers: headersOf(options.limits, result.usage) };
        case 'insufficient': {
          const { availableMicro, usage } = result;
          return { state: 'insufficient', availableMicro, headers: headersOf(options.limits, usage) };
        }
        case 'limited':
          throw limitFault(options.limits, result.usage);
        case 'answered':
          return { state: 'answered', requestId: result.requestId, answer: result.answer };
        case 'conflict':
          throw fault('idempotency_conflict');
        case 'no_account':
          throw noAccount(accountId);
        case 'locked':
          throw fault('service_unavailable', { retryAfterSeconds: 1 });
        case 'running':
          // A row of this server without an open call is an orphan, which the reaper has not found yet.
          if (result.serverId !== serverId || open.has(result.requestId) || attempt === attempts) {
            this.#mayHaveBegun = false;
            throw fault('idempotency_in_progress');
          }
          await batches.void(result.requestId);
      }
    }
  }

  /** The model works on it. */
  running(): void {
    this.#progress = 'running';
  }

  /**
   * Charges the call; durable when it resolves, once, and with what is stored beside it. A database that is away is waited out for
   * about ten seconds; then it throws `ambiguous_transport`: the charge may or may not have been written.
   */
  end(charge: Unsettled, options: EndOptions = {}): Promise<Micro> {
    return this.#deps.inFlight.track(this.#end(charge, options));
  }

  async #end(charge: Unsettled, { body, attachment }: EndOptions): Promise<Micro> {
    const { batches, clock, endForMs, charged } = this.#deps;
    const request = {
      charge: this.#chargeOf(charge),
      keyed: this.hasKey ? { body: body ?? noBody } : null,
      attachment: attachment ?? null,
    };
    const deadlineMs = clock.monotonicMs() + endForMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const result = await batches.end(request);
        if (result.outcome === 'charged') {
          this.#mayHaveBegun = false;
          charged.add(this.target.accountId);
          this.#recordCharge(charge, result.chargedMicro);
          return result.chargedMicro;
        }
        if (result.outcome === 'lost') throw keyWasLost();
        if (result.outcome === 'no_account') throw noAccount(this.target.accountId);
        if (clock.monotonicMs() > deadlineMs) throw fault('ambiguous_transport');
      } catch (error) {
        if (!isUnavailableFault(error)) throw error;
        if (clock.monotonicMs() + pauseMs > deadlineMs) throw fault('ambiguous_transport', { cause: error });
      }
      await sleep(pauseMs);
    }
  }

  /** Charges the call in the transaction of what was paid for. Where that is not committed, the reaper gives the credits back. */
  async endWithin(tx: Sql, charge: Unsettled): Promise<Micro> {
    const micro = await endCall(tx, { charge: this.#chargeOf(charge), keyed: null });
    this.#mayHaveBegun = false;
    return micro;
  }

  /** The first piece of a streamed answer is there. */
  firstToken(): void {
    this.#firstTokenMs ??= this.#sinceArrival();
  }

  /** Records how it failed, in the background. */
  failed({ errorMessage, ...failure }: CallFailure): void {
    const message = errorMessage === null ? null : storable(errorMessage.slice(0, longestMessage));
    const nothing = { promptTokens: null, completionTokens: null, activeMs: 0, micro: 0n };
    this.#record({ ...failure, ...nothing, errorMessage: message });
  }

  #recordCharge({ outcome, usage, activeMs }: Unsettled, micro: Micro): void {
    const isAnswered = outcome === 'succeeded';
    this.#record({
      state: isAnswered ? 'succeeded' : 'canceled',
      httpStatus: isAnswered ? 200 : null,
      errorCode: null,
      errorMessage: null,
      promptTokens: usage?.promptTokens ?? null,
      completionTokens: usage?.completionTokens ?? null,
      activeMs,
      micro,
    });
  }

  #record(end: RequestEnd): void {
    const { ended, clock } = this.#deps;
    const { id, operation } = this;
    const { accountId, project, model, key } = this.target;
    const from = { projectId: project?.id ?? null, keyId: key?.id ?? null, keyName: key?.name ?? null, model };
    const finishedAt = new Date(clock.nowMs());
    const times = { firstTokenMs: this.#firstTokenMs, totalMs: this.#sinceArrival(), finishedAt };
    const own = ended.byAccount.get(accountId) ?? [];
    if (ended.count >= ended.most || own.length >= ended.most / 2) return;
    own.push({ id, accountId, operation, ...from, ...end, ...times });
    ended.byAccount.set(accountId, own);
    ended.count += 1;
  }

  /** Its id was made when it arrived. */
  #sinceArrival(): number {
    const nowMs = this.#deps.clock.nowMs();
    return Math.min(longestMs, Math.max(0, Math.round(nowMs - (timeOfId('req', this.id) ?? nowMs))));
  }

  /** It is over: what has begun and was not charged is undone. Never rejects: the reaper does what cannot be done now. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const { batches, open, inFlight } = this.#deps;
    open.delete(this.id);
    if (this.#mayHaveBegun) await inFlight.track(batches.void(this.id)).catch(() => {});
  }

  toReceived(): ReceivedRequest & { progress: CallProgress } {
    return { id: this.id, operation: this.operation, ...this.target, progress: this.#progress };
  }

  #chargeOf(charge: Unsettled): Charge {
    const { accountId } = this.target;
    const isLimited = this.#request?.limits != null;
    return { ...charge, callId: this.id, accountId, operation: this.operation, isLimited };
  }
}

function headersOf(subjects: readonly LimitedSubject[] | null, usage: UsageBySubject): Record<string, string> {
  return subjects === null ? {} : limitHeaders(checkedSubjects(subjects, usage));
}

function limitFault(subjects: readonly LimitedSubject[] | null, usage: UsageBySubject): Fault {
  const refusal = refusalOf(checkedSubjects(subjects ?? [], usage));
  if (!refusal) throw new Error('A call was refused for no limit. This is a bug.');
  return refusal;
}

function checkedSubjects(subjects: readonly LimitedSubject[], usage: UsageBySubject): CheckedSubject[] {
  return subjects.map((subject) => {
    const used = usage.get(subject.id);
    if (!used) throw new Error(`The limits of ${subject.id} were not checked. This is a bug.`);
    return { ...subject, usage: used };
  });
}

function noBody(): never {
  throw new Error('A call with a key ends without an answer. This is a bug.');
}

function noAccount(accountId: string): Error {
  return new Error(`There is no account ${accountId}. This is a bug.`);
}

export function keyWasLost(): Fault {
  return fault('idempotency_in_progress', { message: 'Another process has taken this request over.' });
}

export const hasIdempotencyKey = (headers: IncomingHttpHeaders): boolean => headers['idempotency-key'] !== undefined;
