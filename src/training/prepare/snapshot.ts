import { createHash } from 'node:crypto';
import type { ShownPart } from '#engine';
import type { Problem } from './snapshot-refused.ts';

/** What is learnt: answers to conversations, or which texts belong together. */
type TrainingKind = 'sft' | 'embedding';

export type SnapshotSettings = {
  /** Longest sequence, tokens. Longer answers are left out, longer texts to embed are cut in front of their end token. */
  maxSequenceLength: number;
  /** Put in front of queries; null: none. Of no use to conversations. */
  queryInstruction: string | null;
  /** Share of the training examples that is held out, beside those that are for testing anyway; null: none. */
  testRatio: number | null;
  seed: number;
};

/** `samples`: lines. */
export type SnapshotFile = { bytes: number; sha256: string; samples: number };

export const snapshotFiles = ['train', 'eval', 'raw', 'control', 'replay'] as const;
export type SnapshotFileName = (typeof snapshotFiles)[number];

/** Of what the model could do before: sequences or pairs that are measured, and those that are learnt along. */
export type ControlCounts = {
  replayRatio: number;
  examples: number;
  control: number;
  replay: number;
  tooLong: number;
  /** Left out, whole or in part, because the base model cannot learn them; missing where there are none. */
  notLearnable?: number;
};

/** An example as the model sees it, with what it would have to write. */
export type Shown = { exampleId: string; parts: ShownPart[] };

export type SnapshotCounts = {
  examples: number;
  /** Sequences or pairs; an example may make more than one. */
  train: number;
  eval: number;
  /** Answers that did not fit, whole: a cut answer would teach to stop in its midst. */
  dropped: {
    too_long: number;
    /** Examples that the base model cannot learn, or not with all of their answers; missing where there are none. */
    not_learnable?: number;
  };
  /** Texts to embed that were cut. */
  truncated: number;
  /** Of the sequences to train: those that are learnt, and the others. */
  trainedTokens: number;
  contextTokens: number;
  evalTokens: number;
  /** Of all sequences, tokens. */
  longest: number;
};

/** What a snapshot is, as `manifest.json` in it says. The same examples, base and settings give the same bytes. */
export type SnapshotManifest = {
  /** Of this description, and of the way in which tokens are made. */
  format: 1;
  kind: TrainingKind;
  base: { id: string; sha256: string };
  /** Of the chat template; null where the model has none. */
  templateSha256: string | null;
  tokenizerSha256: string;
  /** What batches are filled up with; padding is told by its place, so any token will do. */
  padId: number;
  settings: SnapshotSettings & {
    /** What templates that print the date took for today. */
    asOf: string;
  };
  /** `control`, `replay`: only where the job has a control set, and learns from it. */
  files: { train: SnapshotFile; eval: SnapshotFile; raw: SnapshotFile; control?: SnapshotFile; replay?: SnapshotFile };
  counts: SnapshotCounts;
  control?: ControlCounts;
  /** The first examples that were left out, whole or in part, and why; missing where there are none. */
  leftOut?: Problem[];
  shown: Shown[];
  /** Of the manifest without this field: the name of the snapshot. */
  sha256: string;
};

export function nameManifest(manifest: Omit<SnapshotManifest, 'sha256'>): SnapshotManifest {
  return { ...manifest, sha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex') };
}

/** Keys of the objects of a snapshot. */
export function snapshotKeys(sha256: string): Record<'manifest' | SnapshotFileName, string> {
  const folder = `training/snapshots/${sha256}`;
  return {
    manifest: `${folder}/manifest.json`,
    train: `${folder}/train.jsonl`,
    eval: `${folder}/eval.jsonl`,
    raw: `${folder}/raw.jsonl`,
    control: `${folder}/control.jsonl`,
    replay: `${folder}/replay.jsonl`,
  };
}
