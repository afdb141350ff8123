import { type Contract, pageSchema } from '#http';
import { attemptSchema, dryRunSchema, retryEstimateSchema } from './attempts.schema.ts';
import { jobSchema } from './jobs.schema.ts';

export const tag = 'training_jobs';

const hyperparameters = {
  epochs: 8,
  max_steps: null,
  learning_rate: 0.001,
  lora_rank: 8,
  lora_alpha: 16,
  lora_dropout: 0,
  batch_size: 8,
  gradient_accumulation: 1,
  warmup_ratio: 0.1,
  weight_decay: 0,
  max_seq_length: 512,
  seed: 7,
  packing: false,
};

const evaluation = { test_ratio: null, every_steps: null, early_stopping_patience: null, control: null };

const example = {
  id: 'job_01KAXS2B3C4D5E6F7G8H9J0K1M',
  model_ref: 'training-job#job_01KAXS2B3C4D5E6F7G8H9J0K1M',
  name: 'Support tone, January',
  kind: 'text',
  base_model: 'fanfold-tiny-chat',
  base_revision: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
  dataset_version_id: 'dsv_01KAXR7F8H0K2N4Q6S8V0X2Z4B',
  dataset_sha256: '9f1c6a0d2b7e4c83a5f0e1d2c3b4a5968778695a4b3c2d1e0f1a2b3c4d5e6f70',
  hyperparameters,
  evaluation,
  deploy: { alias: 'support', activate: true },
  state: 'running',
  phase: 'training',
  queue_position: null,
  progress: {
    step: 120,
    total_steps: 400,
    epoch: 2.4,
    percent: 30,
    eta_ms: 22400,
    loss: 1.204,
    eval_loss: 1.311,
    tokens_seen: 48210,
  },
  attempt: 1,
  attempts_total: 1,
  cancel_requested: false,
  error: null,
  result: null,
  deployed_as: [],
  rate: { credits_per_gpu_minute: '0.060000', price_version: '2026-11-20' },
  active_ms: 9600,
  billed_ms: 0,
  credits: '0.000000',
  can_retry: false,
  retry_blocked_reason: 'not_finished',
  created_by: { kind: 'api_key', id: 'key_01KAXQ0A1B2C3D4E5F6G7H8J9K', label: 'CI' },
  created_at: '2026-01-05T08:15:00.123Z',
  started_at: '2026-01-05T08:15:04.500Z',
  finished_at: null,
};

const estimate = {
  active_ms: { low: 12800, expected: 32000, high: 128000 },
  credits: { low: '0.012800', expected: '0.032000', high: '0.128000' },
  basis: 'catalog_profile',
};

const job = { description: 'The job.', schema: jobSchema, example };

export const createContract: Contract = {
  tag,
  summary: 'Create a training job',
  description:
    'Trains a LoRA adapter on a frozen version of a dataset. The high estimate is held until the job is over; what is charged is the active time from the start of training on, in units of 100 ms at the present rate, and never more than was held. What never starts, and what fails through no fault of yours, is free. A job that has succeeded can be called as `training-job#<id>` at once. With `dry_run` nothing is made: the answer says what the job would be and cost.',
  bodyExample: {
    name: 'Support tone, January',
    base_model: 'fanfold-tiny-chat',
    dataset_id: 'ds_01KAXR6E7G9J1M3P5R7T9W1Y3A',
    hyperparameters: { epochs: 8 },
    deploy: { alias: 'support', activate: true },
  },
  answers: {
    200: {
      description: 'With `dry_run`: what it would be.',
      schema: dryRunSchema,
      example: {
        job: {
          name: 'Support tone, January',
          kind: 'text',
          base_model: example.base_model,
          base_revision: example.base_revision,
          dataset_id: example.dataset_id,
          dataset_version_id: example.dataset_version_id,
          hyperparameters,
          evaluation,
        },
        estimate,
        warnings: [
          { code: 'few_examples', message: '48 examples are few: expect a change of manner rather than of knowledge.' },
        ],
      },
    },
    201: {
      ...job,
      description: 'The new job; it waits for a worker.',
      example: { ...example, state: 'queued', phase: null, queue_position: 1, started_at: null },
    },
  },
  faults: [
    ...(['not_found', 'owner_required', 'model_not_found', 'model_not_installed', 'kind_mismatch'] as const),
    ...(['state_conflict', 'in_use', 'insufficient_credits', 'rate_limited', 'invalid_request'] as const),
  ],
  idempotent: true,
};

export const listContract: Contract = {
  tag,
  summary: 'List training jobs',
  description: 'The jobs of a project, newest first, for its owner.',
  answers: {
    200: {
      description: 'A page of jobs.',
      schema: pageSchema(jobSchema),
      example: { data: [example], next_cursor: null, total_count: 1 },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};

export const readContract: Contract = {
  tag,
  summary: 'Read a training job',
  description:
    'The state and progress of a job. It is over when `finished_at` is set; then `result` or `error` says what came of it.',
  answers: { 200: job },
  faults: ['not_found'],
};

export const cancelContract: Contract = {
  tag,
  summary: 'Cancel a training job',
  description:
    'A job that waits is canceled at once; one that runs ends at its next step, with a checkpoint to retry from. What it has run until then is charged. Canceling it again changes nothing; a job whose result is being saved has been too quick.',
  bodyExample: { keep_checkpoint: true },
  answers: {
    200: { ...job, example: { ...example, state: 'canceling', cancel_requested: true } },
  },
  faults: ['not_found', 'owner_required', 'state_conflict'],
};

export const retryEstimateContract: Contract = {
  tag,
  summary: 'Estimate a retry',
  description:
    'What another attempt with the same data and settings would take and cost; also where there can be none, with the reason.',
  answers: {
    200: {
      description: 'The estimate.',
      schema: retryEstimateSchema,
      example: {
        can_retry: true,
        blocked_reason: null,
        from: 'checkpoint',
        checkpoint: { attempt: 1, step: 120, saved_at: '2026-01-05T08:15:12.001Z' },
        remaining_steps: 280,
        ...estimate,
        basis: 'measured_step_time',
        available_credits: '12.500000',
      },
    },
  },
  faults: ['not_found'],
};

export const retryContract: Contract = {
  tag,
  summary: 'Retry a training job',
  description:
    'Another attempt at a job that has failed or was canceled, with the same frozen data and the same hyperparameters; anything else is a new job. Credits are held anew.',
  bodyExample: { from: 'checkpoint' },
  answers: { 202: { ...job, example: { ...example, state: 'queued', attempt: 2, attempts_total: 2 } } },
  faults: ['not_found', 'owner_required', 'state_conflict', 'insufficient_credits', 'rate_limited'],
  idempotent: true,
};

export const attemptsContract: Contract = {
  tag,
  summary: 'List attempts',
  description: 'The attempts at a job, latest first.',
  answers: {
    200: {
      description: 'A page of attempts.',
      schema: pageSchema(attemptSchema),
      example: {
        data: [
          {
            number: 1,
            state: 'running',
            resumed_from: null,
            started_at: example.started_at,
            finished_at: null,
            active_ms: 9600,
            billed_ms: 0,
            credits: '0.000000',
            steps: 120,
            error: null,
            checkpoints: [
              { step: 100, loss: 1.31, eval_loss: 1.35, size_bytes: 812044, created_at: '2026-01-05T08:15:12.001Z' },
            ],
          },
        ],
        next_cursor: null,
        total_count: 1,
      },
    },
  },
  faults: ['invalid_cursor', 'not_found'],
};
