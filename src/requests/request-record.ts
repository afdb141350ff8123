import { formatCredits } from '#kernel';
import type { Traces } from './requests.store.ts';

export type RequestState = 'received' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'unknown';

/** A call as its account may see it. */
export type RequestRecord = {
  id: string;
  route: string | null;
  project: { owner: string; slug: string } | null;
  model: string | null;
  state: RequestState;
  httpStatus: number | null;
  errorCode: string | null;
  activeMs: number;
  credits: string;
  createdAt: Date;
  finishedAt: Date | null;
};

/** A call that this process works on. */
export type Running = {
  accountId: string;
  operation: string;
  project: { owner: string; slug: string };
  model: string | null;
  isRunning: boolean;
};

/**
 * What can honestly be said of a call. A charge proves that the model ran; a failure is what its process wrote down; a
 * hold shows that it runs, if its process lives. Null: it left no trace.
 */
export function recordOf(
  { id, createdAt }: { id: string; createdAt: Date },
  { charge, failure, hold, project }: Traces,
  running: Running | null,
): RequestRecord | null {
  const blank = { id, createdAt, project, httpStatus: null, errorCode: null, activeMs: 0, credits: formatCredits(0n) };
  if (charge) {
    const succeeded = charge.outcome === 'succeeded';
    return {
      ...blank,
      route: charge.operation,
      model: charge.model,
      state: succeeded ? 'succeeded' : 'canceled',
      // An error that was answered although the call was charged is told: its outcome was unknown then.
      httpStatus: failure?.httpStatus ?? (succeeded ? 200 : null),
      errorCode: failure?.errorCode ?? null,
      activeMs: Math.round(charge.activeMs),
      credits: formatCredits(charge.micro),
      finishedAt: charge.at,
    };
  }
  if (failure) {
    const { operation: route, finishedAt, ...rest } = failure;
    return { ...blank, ...rest, route, finishedAt };
  }
  if (running) {
    const { operation: route, project: place, model, isRunning } = running;
    return { ...blank, route, project: place, model, state: isRunning ? 'running' : 'received', finishedAt: null };
  }
  if (hold) return { ...blank, route: null, model: null, state: hold.alive ? 'running' : 'unknown', finishedAt: null };
  return null;
}
