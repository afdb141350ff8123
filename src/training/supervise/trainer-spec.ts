import type { TrainingJob } from '../jobs/job.ts';
import type { SnapshotManifest } from '../prepare/snapshot.ts';
import { protocolVersion, type TrainerSpec } from '../runners/protocol.ts';
import { numberOf } from '../settings/hyperparameters.ts';
import { outName } from './attempt-folder.ts';

type SpecParts = {
  job: TrainingJob;
  snapshot: SnapshotManifest;
  base: { dir: string; arch: string };
  resumeFrom: string | null;
  maxActiveMs: number;
  checkpointSeconds: number;
};

const allLinear = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'];
const maxCheckpoints = 2;

/** The specification for the trainer. The same job gives the same one but for where it goes on, so checkpoints fit all attempts. */
export function specOf({ job, snapshot, base, resumeFrom, maxActiveMs, checkpointSeconds }: SpecParts): TrainerSpec {
  const { hyperparameters: hp, evaluation } = job;
  const batchSize = numberOf(hp, 'batch_size', 8);
  const maxSteps = hp.max_steps;
  const { train, eval: heldOut, control, replay } = snapshot.files;
  return {
    protocol: protocolVersion,
    job_id: job.id,
    attempt: job.attempt,
    kind: snapshot.kind,
    base: { ...base, sha256: job.baseSha256 },
    data: {
      train: 'train.jsonl',
      eval: heldOut.samples > 0 ? 'eval.jsonl' : null,
      control: control ? 'control.jsonl' : null,
      replay: replay ? 'replay.jsonl' : null,
      sha256: {
        train: train.sha256,
        eval: heldOut.samples > 0 ? heldOut.sha256 : null,
        control: control?.sha256 ?? null,
        replay: replay?.sha256 ?? null,
      },
      pad_id: snapshot.padId,
    },
    lora: {
      r: numberOf(hp, 'lora_rank', 16),
      alpha: numberOf(hp, 'lora_alpha', 32),
      dropout: numberOf(hp, 'lora_dropout', 0),
      targets: allLinear,
    },
    optim: {
      lr: numberOf(hp, 'learning_rate', 2e-4),
      epochs: numberOf(hp, 'epochs', 1),
      max_steps: typeof maxSteps === 'number' ? maxSteps : null,
      batch: batchSize * numberOf(hp, 'gradient_accumulation', 1),
      micro_batch: batchSize,
      warmup: numberOf(hp, 'warmup_ratio', 0.1),
      weight_decay: numberOf(hp, 'weight_decay', 0),
      seed: numberOf(hp, 'seed', 7),
      ...(replay ? { replay_fraction: evaluation.control?.replayRatio ?? 0 } : {}),
    },
    evaluation: { every_steps: evaluation.everySteps, early_stopping_patience: evaluation.earlyStoppingPatience },
    limits: { max_active_ms: maxActiveMs, max_rss_mb: null },
    device: 'auto',
    dtype: 'auto',
    checkpoint_every_s: checkpointSeconds,
    keep: maxCheckpoints,
    resume_from: resumeFrom,
    out_dir: outName,
    ...(snapshot.kind === 'embedding' ? { embedding: embeddingOf(hp) } : {}),
  };
}

/** What is served embeds queries and documents alike, so both are trained. */
function embeddingOf(hp: TrainingJob['hyperparameters']): NonNullable<TrainerSpec['embedding']> {
  return {
    mode: 'both',
    temperature: numberOf(hp, 'temperature', 0.02),
    max_seq_length: numberOf(hp, 'max_seq_length', 512),
    in_batch_negatives: hp.in_batch_negatives !== false,
    doc_vectors: null,
  };
}
