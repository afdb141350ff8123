import { type Billing, boundOf, type Charge, tooFewCredits } from '#billing';
import type { Engine } from '#engine';
import { lossOf, whyItEnded } from '#http';
import { Fault, fault, isUnavailableFault } from '#kernel';
import type { LimitedSubject, Limiter } from '#limits';
import type { ServedModel } from '#models';
import type { RequestTrack } from '#requests';
import type { Admitted } from './admitted.ts';
import type { DoubtfulPayers } from './doubtful-payers.ts';
import { canceled, isAmbiguous } from './failure.ts';

/** One call on its way through the engine: who pays, for what, and when to give up. */
export type Call = {
  requestId: string;
  /** Of the route, as in `chat.create`. */
  operation: string;
  admitted: Admitted;
  model: ServedModel;
  /** Upper bound of the prompt in tokens, before it is tokenised. */
  promptTokensAtMost: number;
  /** Upper bound of generated tokens. */
  maxTokens: number;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
  track: RequestTrack;
  /** Takes header fields of the answer. */
  reply: { headers: (values: Record<string, string>) => unknown };
};

export type CallDeps = { engine: Engine; billing: Billing; limiter: Limiter; doubtfulPayers: DoubtfulPayers };

type Run = { activeMs: number; promptTokens: number; completionTokens: number; cancelled: boolean };

type Steps<Prepared, Result> = {
  /** Tokenises and checks limits; returns the engine's handle. */
  prepare: () => Promise<Prepared>;
  /** Runs the prepared prompt. */
  run: (prepared: Prepared) => Promise<{ result: Result; run: Run }>;
  /** Makes the answer durable before it is charged; what it throws fails the call. */
  keep?: ((result: Result, charge: Charge) => Promise<void>) | null;
};

/**
 * Takes a call through hold, run and settlement: a bound of its cost is held while the engine prepares the prompt, and
 * the run is charged, durably, before this resolves. Whatever fails on the way gives the hold back and charges nothing.
 * A caller that leaves pays for the active time until then. A call with limits is let in and seen out around all that.
 */
export function performCall<Prepared extends { handle: string }, Result>(
  deps: CallDeps,
  call: Call,
  steps: Steps<Prepared, Result>,
): Promise<Result> {
  const heldMicro = boundOf({
    promptTokensAtMost: call.promptTokensAtMost,
    maxTokens: call.maxTokens,
    pace: deps.engine.pace(call.model.baseModel.id),
    rateMicroPerMinute: call.model.rateMicroPerMinute,
  });
  const { limited } = call.admitted;
  return limited === null
    ? prepareAndRun(deps, { call, heldMicro }, steps)
    : performLimited(deps, { call, heldMicro, limited }, steps);
}

async function performLimited<Prepared extends { handle: string }, Result>(
  deps: CallDeps,
  { call, heldMicro, limited }: { call: Call; heldMicro: bigint; limited: LimitedSubject[] },
  steps: Steps<Prepared, Result>,
): Promise<Result> {
  const pass = await deps.limiter.enter({ requestId: call.requestId, micro: heldMicro, subjects: limited });
  call.reply.headers(pass.headers);
  try {
    const result = await prepareAndRun(deps, { call, heldMicro }, steps);
    await pass.leave();
    return result;
  } catch (error) {
    await (mayBePaidYet(error) ? pass.setAside() : pass.leave());
    throw error;
  }
}

/** The database was away when the answer was kept or charged: its caller may come back for it, and pays then. */
function mayBePaidYet(error: unknown): boolean {
  return isUnavailableFault(error) || isAmbiguous(error);
}

async function prepareAndRun<Prepared extends { handle: string }, Result>(
  deps: CallDeps,
  { call, heldMicro }: { call: Call; heldMicro: bigint },
  steps: Steps<Prepared, Result>,
): Promise<Result> {
  const { billing } = deps;
  const { requestId, admitted } = call;
  let prepared: Prepared;
  if (heldMicro === 0n || billing.holdNow({ requestId, accountId: admitted.accountId, micro: heldMicro })) {
    try {
      prepared = await steps.prepare();
    } catch (error) {
      giveBack(billing, call, heldMicro);
      throw whyItEnded(error, call.signal);
    }
  } else prepared = await holdAndPrepare(deps, { call, heldMicro }, steps);
  call.track.running();
  return await runAndSettle(billing, { call, heldMicro }, { ...steps, run: () => steps.run(prepared) });
}

/** Asks for the hold while the prompt is prepared. */
async function holdAndPrepare<Prepared extends { handle: string }, Result>(
  deps: CallDeps,
  { call, heldMicro }: { call: Call; heldMicro: bigint },
  steps: Steps<Prepared, Result>,
): Promise<Prepared> {
  const { engine, billing } = deps;
  const paysFirst = deps.doubtfulPayers.has(call.admitted.accountId);
  if (paysFirst) await placeHold(deps, call, heldMicro);
  const [prepared, held] = await Promise.allSettled([
    steps.prepare(),
    paysFirst ? null : placeHold(deps, call, heldMicro),
  ]);
  // A prompt that cannot run is refused before lacking credits are: it stays wrong whatever the balance is. That the
  // model has no room is not, as it may pass.
  if (prepared.status === 'rejected') {
    if (held.status === 'fulfilled') giveBack(billing, call, heldMicro);
    else if (isPassing(prepared.reason)) throw held.reason;
    throw whyItEnded(prepared.reason, call.signal);
  }
  if (held.status === 'rejected') {
    engine.release(prepared.value.handle);
    throw held.reason;
  }
  return prepared.value;
}

async function runAndSettle<Result>(
  billing: Billing,
  { call, heldMicro }: { call: Call; heldMicro: bigint },
  { run, keep }: Pick<Steps<void, Result>, 'run' | 'keep'>,
): Promise<Result> {
  let outcome: { result: Result; run: Run };
  try {
    outcome = await run();
    // The caller is still there and gets an error, so there is nothing to pay.
    if (outcome.run.cancelled && lossOf(call.signal) === 'shutdown')
      throw fault('generation_failed', { message: 'The service is shutting down.' });
  } catch (error) {
    giveBack(billing, call, heldMicro);
    throw whyItEnded(error, call.signal);
  }
  // Nothing ran before the caller left: nothing to pay.
  if (outcome.run.cancelled && outcome.run.activeMs === 0) {
    giveBack(billing, call, heldMicro);
    call.track.failed(canceled);
    return outcome.result;
  }
  const charge = chargeFor(call, outcome.run, heldMicro);
  await keep?.(outcome.result, charge).catch(async (error: unknown) => {
    giveBack(billing, call, heldMicro);
    throw error;
  });
  await billing.settle(charge);
  return outcome.result;
}

/** The model has no room, or is not there yet. */
function isPassing(error: unknown): boolean {
  return error instanceof Fault && error.row.status === 503;
}

async function placeHold(
  { billing, doubtfulPayers }: CallDeps,
  { requestId, admitted: { accountId } }: Call,
  micro: bigint,
): Promise<void> {
  const answer = await billing.hold({ requestId, accountId, micro });
  if (answer === 'held') return;
  doubtfulPayers.note(accountId);
  throw tooFewCredits('This call', { required: micro, available: answer.refused.availableMicro });
}

/** Gives the hold back, in the background. */
function giveBack(billing: Billing, { requestId }: Call, heldMicro: bigint): void {
  if (heldMicro > 0n) void billing.release(requestId);
}

function chargeFor({ requestId, operation, admitted, model }: Call, run: Run, heldMicro: bigint): Charge {
  return {
    requestId,
    accountId: admitted.accountId,
    keyId: admitted.key?.id ?? null,
    keyName: admitted.key?.name ?? null,
    projectId: admitted.project.id,
    operation,
    modelRequested: model.requested,
    modelServed: model.baseModel.id,
    modelRevision: model.revision,
    activeMs: run.activeMs,
    rateMicroPerMinute: model.rateMicroPerMinute,
    priceVersion: model.priceVersion,
    heldMicro,
    usage: { promptTokens: run.promptTokens, completionTokens: run.completionTokens },
    outcome: run.cancelled ? 'client_disconnected' : 'succeeded',
  };
}
