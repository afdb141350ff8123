import { lossOf, whyItEnded } from '#http';
import { fault } from '#kernel';
import type { CallRecord, CallRun, ModelCall } from './model-call.ts';

export type RunSteps<Prepared, Result> = {
  /** Tokenises and checks limits. */
  prepare: () => Promise<Prepared>;
  /** Runs the prepared prompt. */
  run: (prepared: Prepared) => Promise<{ result: Result; run: CallRun }>;
  /** What is stored with the charge. */
  record: (result: Result) => CallRecord;
};

/**
 * Runs a call that has begun, and charges it, durably, before this resolves. What fails on the way costs nothing. A caller that
 * leaves pays for the active time until then.
 */
export async function runCall<Prepared, Result>(
  call: ModelCall,
  { prepare, run, record }: RunSteps<Prepared, Result>,
): Promise<Result> {
  const { signal } = call;
  let outcome: { result: Result; run: CallRun };
  try {
    const prepared = await prepare();
    call.running();
    outcome = await run(prepared);
    // The caller is still there and gets an error, so there is nothing to pay.
    if (outcome.run.cancelled && lossOf(signal) === 'shutdown')
      throw fault('generation_failed', { message: 'The service is shutting down.' });
  } catch (error) {
    throw whyItEnded(error, signal);
  }
  const { result } = outcome;
  // Nothing ran before the caller left: nothing to pay.
  if (outcome.run.cancelled && outcome.run.activeMs === 0) {
    call.canceled();
    return result;
  }
  await call.end(outcome.run, record(result));
  return result;
}
