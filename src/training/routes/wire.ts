import type { Static } from 'typebox';
import type { DatasetVersion } from '#datasets';
import { formatCredits, type Micro } from '#kernel';
import { projectKindOf } from '#models';
import type { EstimateRange, JobAttempt, JobError, JobEstimate, JobPlan, TrainingJob } from '../jobs/job.ts';
import type { RetryBlockReason, RetryEstimate } from '../jobs/retry.ts';
import type { LogLine, MetricPoint } from '../logs/logs.store.ts';
import type { attemptSchema, dryRunSchema, retryEstimateSchema } from './attempts.schema.ts';
import type { jobErrorSchema, jobSchema } from './jobs.schema.ts';
import type { logSchema, metricsSchema } from './records.schema.ts';

export function jobToWire(job: TrainingJob, retryBlock: RetryBlockReason | null): Static<typeof jobSchema> {
  return {
    id: job.id,
    model_ref: `training-job#${job.id}`,
    name: job.name,
    kind: job.kind,
    base_model: job.baseModelId,
    base_revision: job.baseSha256,
    dataset_id: job.datasetId,
    dataset_version_id: job.datasetVersionId,
    dataset_sha256: job.datasetSha256,
    hyperparameters: job.hyperparameters,
    evaluation: evaluationToWire(job.evaluation),
    deploy: job.deploy,
    state: job.state,
    phase: job.phase,
    queue_position: job.queuePosition,
    progress: progressToWire(job),
    attempt: job.attempt,
    attempts_total: job.attempt,
    cancel_requested: job.state === 'canceling',
    error: job.error && errorToWire(job.error),
    result: job.result && resultToWire(job.result),
    deployed_as: job.deployedAs,
    rate: { credits_per_gpu_minute: formatCredits(job.rateMicroPerMinute), price_version: job.priceVersion },
    active_ms: Math.round(job.activeMs),
    billed_ms: Number(job.billedMs),
    credits: formatCredits(job.chargedMicro),
    can_retry: retryBlock === null,
    retry_blocked_reason: retryBlock,
    created_by: job.createdBy,
    created_at: job.createdAt.toISOString(),
    started_at: job.startedAt?.toISOString() ?? null,
    finished_at: job.finishedAt?.toISOString() ?? null,
  };
}

function evaluationToWire({ testRatio, everySteps, earlyStoppingPatience, control }: TrainingJob['evaluation']) {
  return {
    test_ratio: testRatio,
    every_steps: everySteps,
    early_stopping_patience: earlyStoppingPatience,
    control: control && { dataset_version_id: control.versionId, replay_ratio: control.replayRatio },
  };
}

export function progressToWire({ progress, state }: Pick<TrainingJob, 'progress' | 'state'>) {
  const { step = 0, totalSteps = null } = progress ?? {};
  const percent = totalSteps === null ? null : Math.min(100, Math.round((1000 * step) / Math.max(1, totalSteps)) / 10);
  return {
    step,
    total_steps: totalSteps,
    epoch: progress?.epoch ?? null,
    percent: state === 'succeeded' ? 100 : percent,
    eta_ms: state === 'running' ? (progress?.etaMs ?? null) : null,
    loss: progress?.loss ?? null,
    eval_loss: progress?.evalLoss ?? null,
    tokens_seen: progress?.tokensSeen ?? 0,
  };
}

function errorToWire({ logSeq, ...error }: JobError): Static<typeof jobErrorSchema> {
  return { ...error, log_seq: logSeq };
}

function resultToWire({
  adapter,
  metrics,
  baselineMetrics,
  maxInputTokens,
  check,
}: NonNullable<TrainingJob['result']>) {
  return {
    adapter: { size_bytes: adapter.sizeBytes, sha256: adapter.sha256, rank: adapter.rank },
    metrics,
    baseline_metrics: baselineMetrics,
    max_input_tokens: maxInputTokens,
    check,
  };
}

export function planToWire(plan: JobPlan): Static<typeof dryRunSchema> {
  return {
    job: {
      name: plan.name,
      kind: projectKindOf(plan.baseModel.kind),
      base_model: plan.baseModel.id,
      base_revision: plan.baseModel.installed.sha256,
      dataset_id: plan.dataset.id,
      dataset_version_id: plan.version?.id ?? null,
      hyperparameters: plan.hyperparameters,
      evaluation: evaluationToWire(plan.evaluation),
    },
    estimate: estimateToWire(plan.estimate),
    warnings: plan.warnings,
  };
}

function estimateToWire({ activeMs, micro, basis }: JobEstimate) {
  return { active_ms: activeMs, credits: creditsToWire(micro), basis };
}

function creditsToWire({ low, expected, high }: EstimateRange<Micro>): EstimateRange<string> {
  return { low: formatCredits(low), expected: formatCredits(expected), high: formatCredits(high) };
}

export function retryEstimateToWire(retry: RetryEstimate): Static<typeof retryEstimateSchema> {
  const { blockedReason, checkpoint, estimate, availableMicro } = retry;
  return {
    can_retry: blockedReason === null,
    blocked_reason: blockedReason,
    from: retry.from,
    checkpoint: checkpoint && {
      attempt: checkpoint.point.attempt,
      step: checkpoint.point.step,
      saved_at: checkpoint.savedAt.toISOString(),
    },
    remaining_steps: retry.remainingSteps,
    ...estimateToWire(estimate),
    available_credits: formatCredits(availableMicro),
  };
}

export function attemptToWire(attempt: JobAttempt): Static<typeof attemptSchema> {
  const { resumedFrom, error } = attempt;
  return {
    number: attempt.number,
    state: attempt.state,
    resumed_from: resumedFrom && { attempt: resumedFrom.attempt, step: resumedFrom.step },
    started_at: attempt.startedAt?.toISOString() ?? null,
    finished_at: attempt.finishedAt?.toISOString() ?? null,
    active_ms: Math.round(attempt.activeMs),
    billed_ms: Number(attempt.billedMs ?? 0n),
    credits: formatCredits(attempt.chargedMicro ?? 0n),
    steps: attempt.steps,
    error: error && errorToWire(error),
    checkpoints: attempt.checkpoints.map(({ step, loss, evalLoss, sizeBytes, createdAt }) => ({
      step,
      loss,
      eval_loss: evalLoss,
      size_bytes: sizeBytes,
      created_at: new Date(createdAt).toISOString(),
    })),
  };
}

export function logToWire({ seq, at, ...line }: LogLine): Static<typeof logSchema> {
  return { seq: Number(seq), at: at.toISOString(), ...line };
}

export function metricsToWire(attempt: number, points: readonly MetricPoint[]): Static<typeof metricsSchema> {
  const byName = Map.groupBy(points, ({ name }) => name);
  const series = [...byName].map(([name, each]) => ({
    name,
    points: each.map(({ step, value }): [number, number] => [step, value]),
  }));
  return { attempt, series };
}

export function frozenToWire({ snapshot }: TrainingJob, version: DatasetVersion) {
  return {
    dataset_id: version.datasetId,
    version_id: version.id,
    sha256: version.sha256,
    example_count: version.trainCount + version.testCount,
    split_counts: { train: version.trainCount, test: version.testCount },
    tokens: snapshot && {
      samples: snapshot.counts.train,
      held_out: snapshot.counts.eval,
      trained: snapshot.counts.trainedTokens,
      dropped: snapshot.counts.dropped.too_long,
      not_learnable: snapshot.counts.dropped.not_learnable ?? 0,
    },
    snapshot_sha256: snapshot?.sha256 ?? null,
  };
}
