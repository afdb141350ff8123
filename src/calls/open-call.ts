import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { type Clock, type Fault, fault, type InFlight, isUnavailableFault, type Micro } from '#kernel';
import { type CheckedSubject, type LimitedSubject, limitHeaders, refusalOf } from '#limits';
import type { Attachment, CallBatches } from './call-batches.ts';
import { type BeginRequest, endCall, type StoredAnswer, type UsageBySubject } from './calls.store.ts';
import type { Charge } from './charge.ts';
import type { FailureLog } from './failure-log.ts';
import type { CallProgress, ReceivedRequest } from './request-record.ts';
import type { FailedState } from './requests.store.ts';

/** A call that has arrived. */
export type NewCall = {
  id: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  target: CallTarget;
};

/** Who calls what. */
export type CallTarget = Pick<ReceivedRequest, 'accountId' | 'project' | 'model'>;

/** How a call ended that was not charged. */
export type CallFailure = { state: FailedState; httpStatus: number | null; errorCode: string | null };

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
  failures: FailureLog;
  clock: Clock;
  open: Map<string, OpenCall>;
  /** Counts what calls are doing with the database, so that whoever stops can wait for it. */
  inFlight: InFlight;
  serverId: string;
  endForMs: number;
  charged: Set<string>;
};

type Unsettled<C extends Charge = Charge> = Omit<C, 'callId' | 'isLimited' | 'accountId' | 'operation'>;

const attempts = 5;
const firstPauseMs = 20;
const longestPauseMs = 1_000;
const longestModel = 200;

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

  constructor({ id, operation, target }: NewCall, deps: OpenCallDeps) {
    this.id = id;
    this.operation = operation;
    this.target = {
      ...target,
      model: target.model?.slice(0, longestModel).toWellFormed().replaceAll('\0', '') ?? null,
    };
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
      switch (result.outcome) {
        case 'begun':
          return { state: 'begun', headers: headersOf(options.limits, result.usage) };
        case 'insufficient':
          this.#mayHaveBegun = false;
          return {
            state: 'insufficient',
            availableMicro: result.availableMicro,
            headers: headersOf(options.limits, result.usage),
          };
        case 'limited':
          this.#mayHaveBegun = false;
          throw limitFault(options.limits, result.usage);
        case 'answered':
          this.#mayHaveBegun = false;
          return { state: 'answered', requestId: result.requestId, answer: result.answer };
        case 'conflict':
          this.#mayHaveBegun = false;
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

  /** Records how it failed, in the background. */
  failed(failure: CallFailure): void {
    const { failures, clock } = this.#deps;
    const { id, operation } = this;
    const { accountId, project, model } = this.target;
    const finishedAt = new Date(clock.nowMs());
    failures.record({ ...failure, id, accountId, operation, projectId: project?.id ?? null, model, finishedAt });
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

const headerName = 'idempotency-key';
const keyPattern = /^[\x20-\x7e]{1,128}$/;

export function hasIdempotencyKey(headers: IncomingHttpHeaders): boolean {
  return headers[headerName] !== undefined;
}

/** The `Idempotency-Key` of a request that has one. Throws `invalid_request`. */
export function requireIdempotencyKey(headers: IncomingHttpHeaders): string {
  const sent = headers[headerName];
  if (typeof sent === 'string' && keyPattern.test(sent)) return sent;
  throw fault('invalid_request', {
    message: 'Idempotency-Key: expected 1 to 128 printable ASCII characters.',
    param: 'Idempotency-Key',
  });
}

/** SHA-256 over method, path and body; the query string is no part of it. */
export function fingerprintOf({ method, url, body }: { method: string; url: string; body: unknown }): Buffer {
  const [path = ''] = url.split('?', 1);
  return createHash('sha256').update(`${method} ${path}\n`).update(JSON.stringify(body)).digest();
}
