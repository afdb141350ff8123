import type { Clock } from '#kernel';
import type { FailureLog } from './failure-log.ts';
import type { Progress, ReceivedRequest } from './request-record.ts';
import type { FailedState, RunningRequest } from './requests.store.ts';

export type RequestTarget = Pick<ReceivedRequest, 'accountId' | 'project' | 'model'>;

export type NewCall = {
  id: string;
  /** Of the route that was called, as in `chat.create`. */
  operation: string;
  target: RequestTarget;
};

export type Failure = { state: FailedState; httpStatus: number | null; errorCode: string | null };

/** Follows one call to its end. */
export type RequestTrack = {
  /** The model works on it. */
  running: () => void;
  /** It ended without a charge. Nothing needs to be said of one that was charged: its ledger row does. */
  failed: (failure: Failure) => void;
  /** It is over, however it went. */
  over: () => void;
};

export type RunningCalls = Map<string, RunningCall>;

type Place = { here: RunningCalls; failures: FailureLog; clock: Clock };

const longestModel = 200;

/** A call that this process works on. (A class: one is made for every call, and methods cost it nothing.) */
export class RunningCall implements RequestTrack {
  readonly id: string;
  readonly operation: string;
  readonly target: RequestTarget;
  readonly sinceMs: number;
  readonly #place: Place;
  #progress: Progress = 'received';

  constructor({ id, operation, target }: NewCall, place: Place) {
    this.id = id;
    this.operation = operation;
    this.target = target;
    this.sinceMs = place.clock.monotonicMs();
    this.#place = place;
  }

  running(): void {
    this.#progress = 'running';
  }

  failed(failure: Failure): void {
    const { failures, clock } = this.#place;
    failures.note({ ...this.toRunning(), ...failure, finishedAt: new Date(clock.nowMs()) });
  }

  over(): void {
    this.#place.here.delete(this.id);
  }

  toRunning(): RunningRequest {
    const { id, operation, target } = this;
    const model = target.model?.slice(0, longestModel).toWellFormed() ?? null;
    return { id, accountId: target.accountId, operation, projectId: target.project.id, model };
  }

  toReceived(): ReceivedRequest & { progress: Progress } {
    return { id: this.id, operation: this.operation, ...this.target, progress: this.#progress };
  }
}
