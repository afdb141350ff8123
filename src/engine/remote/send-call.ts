import { Fault } from '#kernel';
import type { Adapter } from '../port.ts';
import type { UpstreamResponse } from './connection-pool.ts';
import type { RemoteParts } from './remote-parts.ts';
import type { RouteRuntime } from './route-runtime.ts';
import { reach } from './route-set.ts';
import { Elsewhere } from './routed-call.ts';
import { refusalOf } from './upstream-error.ts';
import type { WaitingCall } from './waiting-calls.ts';

/** What is sent to a route. */
export type ToSend = {
  request: (runtime: RouteRuntime) => { path: string; body: Record<string, unknown> };
  /** null or left out: no bound. */
  maxReasoningTokens?: number | null;
  /** The field that is named where the engine finds it too long. */
  param: string;
  signal: AbortSignal;
};

/** A call that a route has taken. */
export type Sent = { response: UpstreamResponse; runtime: RouteRuntime; leave: () => void; sentMs: number };

type Place = { runtime: RouteRuntime; leave: () => void; isRepeated?: boolean };

/** Sends a prepared call, when it is its turn; where nothing can have run there, another route gets it. */
export async function sendCall(parts: RemoteParts, call: WaitingCall, what: ToSend): Promise<Sent> {
  const { runtime, leave, isInLine } = call;
  if (isInLine) return sendInTurn(parts, call, { what, leaveLine: leave });
  let first: Sent | Elsewhere;
  try {
    first = await attempt(parts, call, { what, place: { runtime, leave } });
  } catch (error) {
    leave();
    throw error;
  }
  if (!(first instanceof Elsewhere)) return first;
  leave();
  return sendInTurn(parts, { ...call, tried: new Set([runtime]), refused: first }, { what, leaveLine: null });
}

function sendInTurn(
  parts: RemoteParts,
  call: WaitingCall,
  { what, leaveLine }: { what: ToSend; leaveLine: (() => void) | null },
): Promise<Sent> {
  const { signal } = what;
  return parts.routes.takeTurn(call, { signal, leaveLine }, (place) => attempt(parts, call, { what, place }));
}

async function attempt(
  parts: RemoteParts,
  call: WaitingCall,
  { what, place }: { what: ToSend; place: Place },
): Promise<Sent | Elsewhere> {
  const { adapter, prefix } = call;
  const { request, maxReasoningTokens = null, param, signal } = what;
  const { runtime, leave, isRepeated = false } = place;
  const fields = adapter === null ? runtime.adapters?.baseFields : await adapterFields(runtime, adapter, signal);
  if (fields instanceof Elsewhere) return fields;
  const bound = maxReasoningTokens === null ? {} : await boundFields(runtime, maxReasoningTokens, signal);
  if (bound instanceof Elsewhere) return bound;
  const { path, body } = request(runtime);
  const told = { ...body, ...fields, ...bound };
  const sentMs = parts.clock.monotonicMs();
  const response = await reach(runtime, () => runtime.upstream.post(path, told, signal));
  if (response instanceof Elsewhere) return response;
  if (response.status === 200) {
    runtime.answered(prefix);
    return { response, runtime, leave, sentMs };
  }
  const refusal = await refusalOf(response, { param, adapter, dialect: runtime.dialect });
  if (refusal.kind === 'final') throw doubting(runtime, refusal.error);
  if (refusal.kind === 'adapter_lost') {
    // It was started anew, or another server needed the room. Nothing has run there.
    if (adapter !== null) runtime.adapters?.lose(adapter.sha256);
    if (isRepeated) return new Elsewhere(refusal.reason);
    return attempt(parts, call, { what, place: { ...place, isRepeated: true } });
  }
  if (refusal.isDown) runtime.failed(refusal.reason);
  return new Elsewhere(refusal.reason, refusal);
}

/** Gives the error, of which its route has made a doubtful one where it has failed at what it had begun. */
export function doubting(runtime: RouteRuntime, error: unknown): unknown {
  if (error instanceof Fault && error.fault === 'generation_failed') runtime.doubted();
  return error;
}

/** What a call with an adapter says; it is loaded first. */
export async function adapterFields(
  runtime: RouteRuntime,
  adapter: Adapter,
  signal: AbortSignal,
): Promise<Record<string, unknown> | Elsewhere> {
  const { adapters } = runtime;
  if (adapters === null) return new Elsewhere('The route serves no adapters.');
  return reach(runtime, () => adapters.fieldsFor(adapter, signal), { nothingRan: true });
}

const boundFields = (runtime: RouteRuntime, most: number, signal: AbortSignal) =>
  reach(runtime, () => runtime.reasoningLimit.fieldsFor(runtime.route.upstreamModel, most, signal), {
    nothingRan: true,
  });
