/*
 * The state machine of a training job as a pure function. Whoever changes a job locks its row, calls `transition` and writes the
 * result in one transaction, so nothing can happen to a job that is not in here.
 */

export const jobStates = [
  'queued',
  'preparing',
  'running',
  'interrupted',
  'saving',
  'canceling',
  'succeeded',
  'failed',
  'canceled',
] as const;
export type JobState = (typeof jobStates)[number];

const finalStates = ['succeeded', 'failed', 'canceled'] as const satisfies readonly JobState[];
/** A worker works, or worked, on it. */
export const workedStates = ['preparing', 'running', 'saving', 'canceling'] as const satisfies readonly JobState[];

export const failureCodes = [
  'out_of_memory',
  'dataset_invalid',
  'base_model_unavailable',
  'loss_diverged',
  'time_limit',
  'worker_lost',
  'artifact_write_failed',
  'internal_error',
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** Failures that the job's owner has not caused; such attempts are free. */
const platformFailures: readonly FailureCode[] = [
  'base_model_unavailable',
  'worker_lost',
  'artifact_write_failed',
  'internal_error',
];

export type LifecycleState = {
  state: JobState;
  attempt: number;
  /** Losses since the attempt last got further, whoever was lost. */
  interruptions: number;
  /** Those of them in which the trainer was lost at work, no further than before, while its worker was well. */
  crashes: number;
  hasStarted: boolean;
};

export type JobEvent =
  | { type: 'claimed' }
  | { type: 'started' }
  /** There is a new checkpoint: earlier losses no longer count. */
  | { type: 'checkpointed' }
  | { type: 'trained' }
  | { type: 'published' }
  | { type: 'failed'; code: FailureCode }
  /** Worker or trainer is gone, or the trainer ended in order before it was done: nothing shows that the job caused it. */
  | { type: 'lost' }
  /** The trainer died, and came no further than one before it, while its worker was alive. */
  | { type: 'crashed' }
  /** The worker gives up its lease in good order: nothing is wrong with the job. */
  | { type: 'released' }
  | { type: 'cancel_requested' }
  | { type: 'stopped' }
  | { type: 'retried' };

/** What has to happen to the hold of the attempt, in the same transaction. */
type HoldAction = 'none' | 'hold' | 'charge' | 'release';

export type JobTransition = LifecycleState & {
  money: HoldAction;
  code: FailureCode | null;
};

/** An attempt whose trainer is lost more often than this without getting any further is given up. */
export const maxCrashes = 3;
/**
 * Servers and machines die for reasons that are not the job's, so more of these losses are tolerated; but a job that takes its
 * machine down each time must end, too.
 */
export const maxInterruptions = 10;

/** The job after an event; null: the event does not apply to its state. */
export function transition(life: LifecycleState, event: JobEvent): JobTransition | null {
  const stay = { ...life, money: 'none', code: null } as const;
  const to = (state: JobState): JobTransition => ({ ...stay, state });
  const isWorked = isOneOf(workedStates, life.state);
  switch (event.type) {
    case 'claimed':
      if (life.state === 'queued') return to('preparing');
      if (life.state === 'interrupted') return to('running');
      return isWorked ? stay : null;
    case 'started':
      if (life.state === 'canceling') return { ...stay, hasStarted: true };
      if (life.state !== 'preparing' && life.state !== 'running') return null;
      return { ...to('running'), hasStarted: true };
    case 'checkpointed':
      return isWorked ? { ...stay, interruptions: 0, crashes: 0 } : null;
    case 'trained':
      // A trainer that was done before it heard of the cancellation has won.
      return life.hasStarted && (life.state === 'running' || life.state === 'canceling') ? to('saving') : null;
    case 'published':
      return life.state === 'saving' ? end(life, 'succeeded') : null;
    case 'failed':
      if (life.state === 'canceling') return end(life, 'canceled');
      return isWorked || life.state === 'interrupted' ? end(life, 'failed', event.code) : null;
    case 'lost':
      return isWorked ? afterLoss(life, life.crashes) : null;
    case 'crashed':
      return isWorked ? afterLoss(life, life.crashes + 1) : null;
    case 'released':
      if (life.state === 'canceling') return end(life, 'canceled');
      if (!isWorked) return null;
      return to(life.hasStarted ? 'interrupted' : 'queued');
    case 'cancel_requested':
      if (life.state === 'queued' || life.state === 'interrupted') return end(life, 'canceled');
      return life.state === 'preparing' || life.state === 'running' ? to('canceling') : null;
    case 'stopped':
      return life.state === 'canceling' ? end(life, 'canceled') : null;
    case 'retried':
      if (life.state !== 'failed' && life.state !== 'canceled') return null;
      return {
        state: 'queued',
        attempt: life.attempt + 1,
        interruptions: 0,
        crashes: 0,
        hasStarted: false,
        money: 'hold',
        code: null,
      };
  }
}

function afterLoss(life: LifecycleState, crashes: number): JobTransition {
  if (life.state === 'canceling') return end(life, 'canceled');
  const lost = { ...life, interruptions: life.interruptions + 1, crashes };
  if (crashes > maxCrashes || lost.interruptions > maxInterruptions) return end(lost, 'failed', 'worker_lost');
  return { ...lost, state: life.hasStarted ? 'interrupted' : 'queued', money: 'none', code: null };
}

/** An attempt that never started is free, and so is one that failed through no fault of its owner. */
function end(
  life: LifecycleState,
  state: (typeof finalStates)[number],
  code: FailureCode | null = null,
): JobTransition {
  const isFree = !life.hasStarted || (code !== null && platformFailures.includes(code));
  return { ...life, state, money: isFree ? 'release' : 'charge', code };
}

export function isFinal(state: JobState): boolean {
  return isOneOf(finalStates, state);
}

function isOneOf(states: readonly JobState[], state: JobState): boolean {
  return states.includes(state);
}

export class AttemptFailure extends Error {
  readonly code: FailureCode;
  readonly hint: string | null;

  constructor(code: FailureCode, message: string, options: { hint?: string | null; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? null;
  }
}

export const hints: Record<FailureCode, string> = {
  out_of_memory: 'Lower batch_size to 2 or max_seq_length to 512, and raise gradient_accumulation instead.',
  dataset_invalid: 'Mend the examples that are named, freeze a new version and train on that.',
  base_model_unavailable: 'Ask the operator to install the base model with the weights to train on, then retry.',
  loss_diverged:
    'Lower learning_rate to a third, or raise warmup_ratio; look for examples that are not like the others.',
  time_limit: 'Train for fewer epochs or on fewer examples; or retry from the last checkpoint.',
  worker_lost: 'Retry from the checkpoint. If it is lost again, tell the operator: the machine may lack memory.',
  artifact_write_failed: 'Retry from the checkpoint. If it fails again, tell the operator: the disk may be full.',
  internal_error: 'Retry from the checkpoint. If it fails again, tell the operator the number of the job.',
};

export function isRetryable(code: FailureCode): boolean {
  return code !== 'dataset_invalid';
}
