import { type Clock, Fault } from '#kernel';
import type { Adapter } from '../port.ts';
import { AdapterRefused } from './adapters/route-adapters.ts';
import type { UpstreamResponse } from './connection-pool.ts';
import type { Fields } from './json-fields.ts';
import { type PreparedCall, type PreparedCalls, RouteRefusal } from './prepared-calls.ts';
import type { RouteSlot } from './route-queue.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { callRoute, type RouteSet } from './route-set.ts';
import type { LocalCounter, LocalPromptCounter } from './token-count.ts';
import { refusalOf } from './upstream-error.ts';

/** What calls of remote engines share. */
export type RemoteContext = {
  routes: RouteSet;
  prepared: PreparedCalls;
  clock: Clock;
  countHere: LocalCounter;
  countPromptHere: LocalPromptCounter;
};

export type CallRequest = {
  /** What is sent to a route. */
  build: (runtime: RouteRuntime) => { path: string; body: Fields };
  /** null or left out: no limit. */
  maxReasoningTokens?: number | null;
  /** The field that is named where the engine finds it too long. */
  param: string;
  signal: AbortSignal;
};

/** A call that a route has taken. */
export type SentCall = RouteSlot & { response: UpstreamResponse; sentMs: number };

/** Sends a prepared call, when it is its turn; where nothing can have run there, another route gets it. */
export async function sendCall(context: RemoteContext, call: PreparedCall, request: CallRequest): Promise<SentCall> {
  const { runtime, leave, isQueued } = call;
  const { signal } = request;
  const send = (slot: RouteSlot) => sendTo(slot, context.clock, { call, request });
  if (isQueued) return context.routes.runQueued(call, { signal, leaveQueue: leave }, send);
  const sent = await send({ runtime, leave }).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (!(sent instanceof RouteRefusal)) return sent;
  leave();
  const refused = { ...call, tried: new Set([runtime]), refusal: sent };
  return context.routes.runQueued(refused, { signal, leaveQueue: null }, send);
}

type Sending = { call: PreparedCall; request: CallRequest; isRepeated?: boolean };

async function sendTo(slot: RouteSlot, clock: Clock, sending: Sending): Promise<SentCall | RouteRefusal> {
  const { call, request, isRepeated = false } = sending;
  const { adapter } = call;
  const { runtime } = slot;
  const fields = await callFields(runtime, adapter, request);
  if (fields instanceof RouteRefusal) return fields;
  const { path, body } = request.build(runtime);
  const sentMs = clock.monotonicMs();
  const response = await callRoute(runtime, () => runtime.upstream.post(path, { ...body, ...fields }, request.signal));
  if (response instanceof RouteRefusal) return response;
  if (response.status === 200) {
    runtime.answered(call.prefix);
    return { ...slot, response, sentMs };
  }
  const refusal = await refusalOf(response, { param: request.param, adapter, dialect: runtime.dialect });
  if (refusal.kind === 'final') throw noteFailure(runtime, refusal.error);
  if (refusal.kind === 'adapter_lost') {
    // The engine was started anew, or another server needed the capacity. Nothing has run there.
    if (adapter !== null) runtime.adapters?.lose(adapter.sha256);
    if (isRepeated) return new RouteRefusal(refusal.reason);
    return sendTo(slot, clock, { ...sending, isRepeated: true });
  }
  if (refusal.isDown) runtime.failed(refusal.reason);
  return new RouteRefusal(refusal.reason, refusal);
}

/** Fields of the adapter, which is loaded first, and of the limit of reasoning. */
function callFields(
  runtime: RouteRuntime,
  adapter: Adapter | null,
  { maxReasoningTokens = null, signal }: CallRequest,
): Promise<Fields | RouteRefusal> {
  const { upstreamModel } = runtime.route;
  return callRoute(
    runtime,
    async () => ({
      ...(adapter === null ? runtime.adapters?.baseFields : await adapterFields(runtime, adapter, signal)),
      ...(maxReasoningTokens === null
        ? {}
        : await runtime.reasoningLimit.fieldsFor(upstreamModel, maxReasoningTokens, signal)),
    }),
    { nothingRan: true },
  );
}

/** Loads the adapter of a call, so that it is there when the call runs. */
export function loadAdapter(
  runtime: RouteRuntime,
  adapter: Adapter,
  signal: AbortSignal,
): Promise<Fields | RouteRefusal> {
  return callRoute(runtime, () => adapterFields(runtime, adapter, signal), { nothingRan: true });
}

async function adapterFields({ adapters }: RouteRuntime, adapter: Adapter, signal: AbortSignal): Promise<Fields> {
  if (adapters === null) throw new AdapterRefused('The route serves no adapters.');
  return adapters.fieldsFor(adapter, signal);
}

/** Returns the error. A route that has failed at a call that it had begun is tried after all others. */
export function noteFailure(runtime: RouteRuntime, error: unknown): unknown {
  if (error instanceof Fault && error.fault === 'generation_failed') runtime.callFailed();
  return error;
}
