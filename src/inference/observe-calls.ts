import type { Usage } from '#engine';
import { Fault } from '#kernel';
import type { SavedCallSource } from './auto-save-record.ts';
import type { TextRequest } from './model-request.ts';

/** A call that is about to reach a model, without anything that is said in it. */
export type ObservedCall = {
  requestId: string;
  operation: string;
  accountId: string;
  projectId: string;
  modelRequested: string;
  /** The base model. */
  modelServed: string;
  /** Null for embeddings. */
  sampling: Omit<TextRequest['sampling'], 'stop'> | null;
  streams: boolean;
};

export type RunEnd = {
  outcome: 'succeeded' | 'client_disconnected';
  usage: Usage;
  activeMs: number;
  /** Null for embeddings. */
  finishReason: string | null;
};

export type CallEnd =
  | ({ kind: 'ran' } & RunEnd)
  /** `outcome` is the code of the error. */
  | { kind: 'failed'; outcome: string };

/** Watches one call for the operator. */
export type CallWatch = {
  /** The first piece of its answer is there. */
  firstDelta: () => void;
  ended: (end: CallEnd) => void;
};

/** A call as its route has it. */
type ObservedSource = SavedCallSource & { operation: string };

/** Told of every call; null when nobody watches. */
export type ObserveCall = (call: ObservedCall) => CallWatch | null;

type ObserveOptions = { call: ObservedSource; sampling: TextRequest['sampling'] | null; streams: boolean };

/** Begins to watch a call; null when nobody watches this one. */
export function watchCall(observe: ObserveCall, { call, sampling, streams }: ObserveOptions): CallWatch | null {
  const { admitted, model, operation } = call;
  return observe({
    requestId: call.request.id,
    operation,
    accountId: admitted.accountId,
    projectId: admitted.project.id,
    modelRequested: model.requested,
    modelServed: model.baseModel.id,
    sampling: sampling && withoutText(sampling),
    streams,
  });
}

/** Reports the first of many deltas. */
export function firstDeltaOf(watch: CallWatch): () => void {
  let isFirst = true;
  return () => {
    if (isFirst) watch.firstDelta();
    isFirst = false;
  };
}

/** Who is notified of the end of a call. */
export type CallObservation<Result> = { watch: CallWatch; endOf: (result: Result) => RunEnd };

/** Does the work of a call, and reports how it ended. */
export async function observeEnd<Result>(
  { watch, endOf }: CallObservation<Result>,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work();
    watch.ended({ kind: 'ran', ...endOf(result) });
    return result;
  } catch (error) {
    watch.ended({ kind: 'failed', outcome: error instanceof Fault ? error.row.code : 'internal_error' });
    throw error;
  }
}

function withoutText({ stop: _, ...numbers }: TextRequest['sampling']): Omit<TextRequest['sampling'], 'stop'> {
  return numbers;
}
