import { formatCredits } from '#kernel';
import type { Traces } from './requests.store.ts';

type RequestState = 'received' | 'running' | 'succeeded' | 'failed' | 'canceled' | 'unknown';

/** A call as its account may see it. */
export type RequestRecord = {
  id: string;
  route: string | null;
  project: { owner: string; slug: string } | null;
  model: string | null;
  state: RequestState;
  httpStatus: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  key: { id: string; name: string } | null;
  promptTokens: number | null;
  completionTokens: number | null;
  firstTokenMs: number | null;
  totalMs: number | null;
  activeMs: number;
  credits: string;
  createdAt: Date;
  finishedAt: Date | null;
};

/** A call that was let in: who makes it, and what it asks for. */
export type ReceivedRequest = {
  id: string;
  accountId: string;
  operation: string;
  /** Null: the request is of no project. */
  project: { id: string; owner: string; slug: string } | null;
  model: string | null;
  /** Null: somebody who is signed in. */
  key: { id: string; name: string } | null;
};

/** How far a call has come that this process works on. */
export type CallProgress = 'received' | 'running';

/**
 * What is known of a call. A charge proves that the model ran; otherwise it is what its server has written, which counts while the
 * server lives. Null: it left no trace.
 */
export function recordOf(
  { id, createdAt }: { id: string; createdAt: Date },
  { charge, logged, running, project, key }: Traces,
  here: (ReceivedRequest & { progress: CallProgress }) | null,
): RequestRecord | null {
  const blank = {
    id,
    createdAt,
    project,
    key,
    httpStatus: null,
    errorCode: null,
    errorMessage: null,
    promptTokens: null,
    completionTokens: null,
    firstTokenMs: null,
    totalMs: null,
    activeMs: 0,
    credits: formatCredits(0n),
  };
  if (charge) {
    const succeeded = charge.outcome === 'succeeded';
    return {
      ...blank,
      route: charge.operation,
      model: charge.model,
      state: succeeded ? 'succeeded' : 'canceled',
      // A charged call may have been answered with an error, because its outcome was unknown then.
      httpStatus: logged?.httpStatus ?? (succeeded ? 200 : null),
      errorCode: logged?.errorCode ?? null,
      errorMessage: logged?.errorMessage ?? null,
      promptTokens: charge.promptTokens,
      completionTokens: charge.completionTokens,
      firstTokenMs: logged?.firstTokenMs ?? null,
      totalMs: logged?.totalMs ?? null,
      activeMs: Math.round(charge.activeMs),
      credits: formatCredits(charge.micro),
      finishedAt: charge.at,
    };
  }
  if (logged) {
    const { operation: route, finishedAt, ...rest } = logged;
    return { ...blank, ...rest, route, finishedAt };
  }
  if (here) {
    const { operation: route, model, progress } = here;
    return {
      ...blank,
      route,
      project: here.project && { owner: here.project.owner, slug: here.project.slug },
      key: here.key,
      model,
      state: progress,
      finishedAt: null,
    };
  }
  if (running) {
    const { operation: route, model, alive } = running;
    return { ...blank, route, model, state: alive ? 'running' : 'unknown', finishedAt: null };
  }
  return null;
}
