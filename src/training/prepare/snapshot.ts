import type { ExampleContent, Split } from '#datasets';
import type { ModelKind } from '#models';

/** What is learnt: answers to conversations, or which texts belong together. */
export type TrainingKind = 'sft' | 'embedding';

/** The model that is trained on, as it is installed. */
export type SnapshotBase = { id: string; kind: ModelKind; ggufPath: string; sha256: string };

export type SnapshotExample = { id: string; split: Split; content: ExampleContent };

export type SnapshotSettings = {
  /** Longest sequence, tokens. Longer conversations are left out, texts to embed are cut in front of their end token. */
  maxSequenceLength: number;
  /** Put in front of queries; null: none. Of no use to conversations. */
  queryInstruction: string | null;
  /** Share of the examples that is held out; null: the examples say it themselves. */
  testRatio: number | null;
  seed: number;
};

export type SnapshotFile = { bytes: number; sha256: string; samples: number };

/** Why examples are not in a snapshot; all of them are counted. */
export type DropReason = 'too_long';

/** What a snapshot is, as `manifest.json` in it says. The same examples, base and settings give the same bytes. */
export type SnapshotManifest = {
  format: 1;
  kind: TrainingKind;
  /** The SHA-256 of the manifest without this field: the name of the snapshot. */
  sha256: string;
  base: { id: string; sha256: string };
  /** Of the chat template; null where the model has none. */
  templateSha256: string | null;
  tokenizerSha256: string;
  /** Fills up batches; no token of the vocabulary has to be free for it, padding is masked by length. */
  padId: number;
  settings: SnapshotSettings;
  files: { train: SnapshotFile; eval: SnapshotFile; raw: SnapshotFile };
  counts: {
    examples: number;
    /** Sequences or pairs; a conversation may make more than one. */
    train: number;
    eval: number;
    dropped: Record<DropReason, number>;
    /** Texts to embed that were cut. */
    truncated: number;
    trainedTokens: number;
    contextTokens: number;
    longest: number;
  };
};

/** Keys of the objects of a snapshot. */
export function snapshotKeys(sha256: string): Record<'manifest' | 'train' | 'eval' | 'raw', string> {
  const folder = `training/snapshots/${sha256}`;
  return {
    manifest: `${folder}/manifest.json`,
    train: `${folder}/train.jsonl`,
    eval: `${folder}/eval.jsonl`,
    raw: `${folder}/raw.jsonl`,
  };
}
