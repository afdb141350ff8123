import { createHash } from 'node:crypto';
import type { ObjectStore } from '#objects';

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
  truncated: number;
  /** Of the sequences to train: those that are learnt, and the others. */
  trainedTokens: number;
  contextTokens: number;
  evalTokens: number;
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
  problems?: ExampleProblem[];
  /** Of the manifest without this field: the name of the snapshot. */
  sha256: string;
};

export function nameManifest(manifest: Omit<SnapshotManifest, 'sha256'>): SnapshotManifest {
  return { ...manifest, sha256: createHash('sha256').update(JSON.stringify(manifest)).digest('hex') };
}

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

export type ExampleProblem = { exampleId: string; reason: string };

/** Thrown where nothing is left to learn or to measure; then nothing is frozen. */
export class SnapshotRefused extends Error {
  override readonly name = 'SnapshotRefused';
  readonly problems: readonly ExampleProblem[];
  readonly total: number;

  constructor(message: string, problems: readonly ExampleProblem[] = [], total = problems.length) {
    super(message);
    this.problems = problems;
    this.total = total;
  }
}

export async function isStored(objects: ObjectStore, manifest: SnapshotManifest): Promise<boolean> {
  const keys = snapshotKeys(manifest.sha256);
  if ((await objects.size(keys.manifest)) === null) return false;
  for (const name of snapshotFiles) {
    const file = manifest.files[name];
    if (file && (await objects.size(keys[name])) !== file.bytes) return false;
  }
  return true;
}

/** The manifest first: without it there is no snapshot. */
export async function removeSnapshot(objects: ObjectStore, sha256: string): Promise<void> {
  const { manifest, ...files } = snapshotKeys(sha256);
  await objects.remove(manifest);
  for (const key of Object.values(files)) await objects.remove(key);
}
