import type { FailureCode } from './lifecycle.ts';

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
