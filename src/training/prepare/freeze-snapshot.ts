import { Readable } from 'node:stream';
import type { ExampleEncoder } from '#engine';
import { fault } from '#kernel';
import type { BaseModel } from '#models';
import type { ObjectStore } from '#objects';
import { type ControlSet, writeControlSet } from './control-set.ts';
import { type Drafts, withDrafts } from './draft.ts';
import {
  type EncodedExample,
  type EncodingDeps,
  encodeExamples,
  type SplitExample,
  samplesOf,
  splitOf,
} from './samples.ts';
import {
  type ExampleProblem,
  isStored,
  nameManifest,
  type SnapshotCounts,
  type SnapshotManifest,
  SnapshotRefused,
  type SnapshotSettings,
  snapshotFiles,
  snapshotKeys,
} from './snapshot.ts';

export type SnapshotInput = {
  examples: AsyncIterable<readonly SplitExample[]>;
  base: Pick<BaseModel, 'id' | 'kind' | 'installed'>;
  settings: SnapshotSettings;
  encoder: ExampleEncoder;
  control?: ControlSet | null;
  objects: ObjectStore;
  /** Called with the name of the snapshot before anything of it is stored. */
  onName?: (sha256: string) => Promise<void>;
  draftFolder: string;
  /** Today's date for templates that print it: the time of the version, so that it gives the same bytes again. */
  asOf?: Date;
  signal?: AbortSignal;
};

const maxProblems = 20;

/**
 * Freezes examples as the tokens that a model learns, in the object store under the digest of their description. The same
 * examples, base and settings give the same bytes; a snapshot that is there already is left as it is. What the base cannot
 * learn, an example or some of its answers, is left out, counted and named. Throws `SnapshotRefused` where nothing remains,
 * `model_not_installed`, and `capacity_unavailable` when it cannot be encoded at present.
 */
export async function freezeSnapshot(input: SnapshotInput): Promise<SnapshotManifest> {
  const { base, objects, settings, encoder, signal = new AbortController().signal } = input;
  const { asOf = new Date(Date.UTC(2026, 0, 1)) } = input;
  const { id, installed } = base;
  if (installed === null) throw fault('model_not_installed', { internal: `A snapshot was to be made for ${id}` });
  const facts = await encoder.describe(installed.ggufPath);
  const encoding: EncodingDeps = { encoder, ggufPath: installed.ggufPath, settings, asOf, signal };
  return withDrafts(input.draftFolder, async (drafts) => {
    const { counts, problems } = await writeExamples(input.examples, drafts, encoding);
    const control = input.control ? await writeControlSet(input.control, drafts, encoding) : null;
    const { maxSequenceLength, queryInstruction, testRatio, seed } = settings;
    const manifest = nameManifest({
      format: 1,
      kind: base.kind === 'text' ? 'sft' : 'embedding',
      base: { id, sha256: installed.sha256 },
      ...facts,
      // In one order, because the name of the snapshot depends on it.
      settings: { maxSequenceLength, queryInstruction, testRatio, seed, asOf: asOf.toISOString() },
      files: {
        train: drafts.train.facts(),
        eval: drafts.eval.facts(),
        raw: drafts.raw.facts(),
        ...(control ? { control: drafts.control.facts() } : {}),
        ...(control && control.replay > 0 ? { replay: drafts.replay.facts() } : {}),
      },
      counts,
      ...(control ? { control } : {}),
      ...(problems.length > 0 ? { problems } : {}),
    });
    await input.onName?.(manifest.sha256);
    if (!(await isStored(objects, manifest))) await store(objects, manifest, drafts, signal);
    return manifest;
  });
}

/** The manifest last: with it, a snapshot is complete. */
async function store(objects: ObjectStore, manifest: SnapshotManifest, drafts: Drafts, signal: AbortSignal) {
  const keys = snapshotKeys(manifest.sha256);
  for (const file of snapshotFiles) {
    if (manifest.files[file]) await drafts[file].store(objects, keys[file], signal);
  }
  await objects.put(keys.manifest, Readable.from([Buffer.from(JSON.stringify(manifest))]), { signal });
}

type WrittenExamples = { counts: SnapshotCounts; problems: ExampleProblem[] };

/** Throws `SnapshotRefused` where nothing remains to train on. */
async function writeExamples(
  examples: SnapshotInput['examples'],
  drafts: Drafts,
  encoding: EncodingDeps,
): Promise<WrittenExamples> {
  const written: WrittenExamples = {
    counts: {
      examples: 0,
      train: 0,
      eval: 0,
      dropped: { too_long: 0 },
      truncated: 0,
      trainedTokens: 0,
      contextTokens: 0,
      evalTokens: 0,
      longest: 0,
    },
    problems: [],
  };
  for await (const batch of encodeExamples(examples, encoding)) {
    const lines = { train: [], eval: [], raw: [] };
    for (const each of batch) addExample(each, written, lines, encoding.settings);
    for (const file of ['train', 'eval', 'raw'] as const) await drafts[file].write(lines[file]);
  }
  if (written.counts.train === 0) throw nothingLeft(written, encoding.settings);
  return written;
}

function addExample(
  { example, encoded }: EncodedExample,
  { counts, problems }: WrittenExamples,
  lines: Record<'train' | 'eval' | 'raw', string[]>,
  settings: SnapshotSettings,
): void {
  counts.examples++;
  const reason =
    encoded.type === 'refused' ? encoded.reason : encoded.type === 'conversation' ? encoded.problem : undefined;
  if (reason !== undefined) {
    counts.dropped.not_learnable = (counts.dropped.not_learnable ?? 0) + 1;
    if (problems.length < maxProblems) problems.push({ exampleId: example.id, reason });
  }
  if (encoded.type === 'refused') return;
  const split = splitOf(example, settings);
  const samples = samplesOf(example, encoded);
  counts.longest = Math.max(counts.longest, samples.longest);
  counts.dropped.too_long += samples.tooLong;
  counts.truncated += samples.truncated;
  if (split === 'train') {
    counts.train += samples.lines.length;
    counts.trainedTokens += samples.trainedTokens;
    counts.contextTokens += samples.contextTokens;
  } else {
    counts.eval += samples.lines.length;
    counts.evalTokens += samples.trainedTokens + samples.contextTokens;
  }
  lines[split === 'train' ? 'train' : 'eval'].push(...samples.lines);
  lines.raw.push(JSON.stringify({ id: example.id, split, content: example.content }));
}

function nothingLeft({ counts, problems }: WrittenExamples, { maxSequenceLength }: SnapshotSettings): SnapshotRefused {
  const { examples, dropped } = counts;
  const { not_learnable: refused = 0, too_long: tooLong } = dropped;
  if (refused > 0)
    return new SnapshotRefused(
      `There is no example to train on: ${refused} of ${examples} cannot be learned from. The first: ${problems[0]?.reason}`,
      problems,
      refused,
    );
  return new SnapshotRefused(
    tooLong > 0
      ? `All answers are longer than ${maxSequenceLength} tokens with what stands before them.`
      : 'There is no example to train on.',
  );
}
