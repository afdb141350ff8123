/**
 * The protocol between the program and the trainer (`trainer/`, and docs/guides/ray.md for trainers elsewhere). The
 * program writes `spec.json`; the trainer prints lines `@evt {json}` on its standard output and in
 * `out/events.jsonl`, numbered from 1 without gaps, and with its exit code. Everything else that it prints is log text.
 */

export const protocolVersion = 1;

/** Relative paths are below the folder of `spec.json`; `base.dir` is absolute. The trainer knows the fields that may lack. */
export type TrainerSpec = {
  protocol: typeof protocolVersion;
  job_id: string;
  attempt: number;
  kind: 'sft' | 'embedding';
  /** The model in Hugging Face form; `sha256` is that of the GGUF file that serves it. */
  base: { dir: string; arch: string; sha256: string; name?: string };
  data: {
    train: string;
    eval: string | null;
    /** Examples that tell what the model forgets. */
    control: string | null;
    /** Examples that are trained along, so that the model does not forget. */
    replay?: string | null;
    /** More texts to search among when an embedding is evaluated. */
    corpus?: string | null;
    /** By the names above. */
    sha256: Partial<Record<'train' | 'eval' | 'control' | 'replay' | 'corpus', string | null>>;
    pad_id: number;
    max_seq_length?: number | null;
  };
  lora: { r: number; alpha: number; dropout?: number; targets: string[] };
  optim: {
    lr: number;
    epochs: number;
    max_steps: number | null;
    /** Sequences or pairs of one optimizer step. */
    batch: number;
    /** Of which so many are computed at once; null: as many as fit. */
    micro_batch: number | null;
    /** Share of all steps. */
    warmup: number;
    weight_decay?: number;
    clip?: number;
    replay_fraction?: number;
    seed: number;
  };
  evaluation?: {
    every_steps?: number | null;
    early_stopping_patience?: number | null;
    max_samples?: number;
    bootstrap?: number;
  };
  limits: { max_active_ms: number | null; max_rss_mb: number | null };
  device: 'auto' | 'cpu' | 'cuda';
  dtype: 'auto' | 'fp32' | 'bf16';
  threads?: number | null;
  gradient_checkpointing?: boolean | null;
  checkpoint_every_s: number;
  /** Checkpoints to keep. */
  keep: number;
  /** A checkpoint below `out_dir`; null: from the beginning. */
  resume_from: string | null;
  out_dir: string;
  /** What becomes of a trainer whose standard input ends: it stops (75), or goes on because somebody else minds it. */
  orphan?: 'stop' | 'continue';
  embedding?: {
    mode: 'query' | 'both';
    temperature: number;
    max_seq_length: number;
    in_batch_negatives?: boolean;
    negatives?: number;
    cached_negatives?: number;
    false_negative_margin?: number;
    /** Vectors of documents that stay as they are; null: documents are token ids. */
    doc_vectors: string | null;
  };
};

/** How a trainer ends. What ended it without a word (a signal) has no code of its own: see `lost`. */
export const exitCodes = {
  done: 0,
  cancelled: 10,
  badSpec: 20,
  unsupported: 21,
  outOfMemory: 30,
  notFinite: 31,
  diskFull: 32,
  timeLimit: 33,
  exportFailed: 40,
  bug: 70,
  /** Orphaned or preempted, with a checkpoint: another attempt goes on from there. */
  preempted: 75,
} as const;

/** Longest line, bytes; what is longer is cut and no event. */
export const maxLineBytes = 64 * 1024;
