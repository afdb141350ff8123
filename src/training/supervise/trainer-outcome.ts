import { AttemptFailure } from '../jobs/failures.ts';
import { type FailureCode, failureCodes } from '../jobs/lifecycle.ts';
import { exitCodes, type TrainerFailure } from '../runners/protocol.ts';
import type { Outcome } from '../runners/runner.ts';

/** Whether a trainer is gone without having failed: another start may go on from its checkpoints. */
export function isLoss(outcome: Outcome): boolean {
  return outcome.kind === 'lost' || outcome.code === exitCodes.preempted || outcome.code === exitCodes.cancelled;
}

const codesByExit: Record<number, FailureCode> = {
  [exitCodes.badSpec]: 'dataset_invalid',
  [exitCodes.unsupported]: 'base_model_unavailable',
  [exitCodes.outOfMemory]: 'out_of_memory',
  [exitCodes.notFinite]: 'loss_diverged',
  [exitCodes.diskFull]: 'artifact_write_failed',
  [exitCodes.timeLimit]: 'time_limit',
  [exitCodes.exportFailed]: 'artifact_write_failed',
};

/** Why an attempt has failed: what its trainer said of it, or else what its exit code says. */
export function failureOf(outcome: Outcome, said: TrainerFailure | null): AttemptFailure {
  const byExit = outcome.kind === 'exited' ? codesByExit[outcome.code] : undefined;
  const code = failureCodes.find((known) => known === said?.code) ?? byExit ?? 'internal_error';
  const message = said?.message ?? 'The trainer ended without saying why.';
  return new AttemptFailure(code, message, { hint: said?.hint ?? null });
}
