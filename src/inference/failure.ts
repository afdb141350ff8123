import type { CallFailure } from '#calls';
import { Fault, fault } from '#kernel';

export type FailedWhen = {
  /** The answer had begun. */
  hasBegun: boolean;
  isCallerGone: boolean;
  /** The call had got as far as a model. */
  mayHaveRun: boolean;
};

/** How a call ended that was not charged, as its account is told. */
export function failureOf(error: unknown, { hasBegun, isCallerGone, mayHaveRun }: FailedWhen): CallFailure {
  const problem = error instanceof Fault ? error : fault('internal_error');
  const { status, code } = problem.row;
  if (isCallerGone && code === 'request_timeout') return canceled;
  return {
    state: mayHaveRun && isAmbiguous(error) ? 'unknown' : 'failed',
    // An answer that has begun had its status before it failed; who is gone got none.
    httpStatus: hasBegun ? 200 : isCallerGone ? null : status,
    errorCode: code,
    errorMessage: problem.message,
  };
}

/** The caller left before anything was done for him. */
export const canceled: CallFailure = { state: 'canceled', httpStatus: null, errorCode: null, errorMessage: null };

/** Nobody knows whether the call was served. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof Fault && error.fault === 'ambiguous_transport';
}
