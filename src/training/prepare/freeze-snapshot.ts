import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import type { Encoded, ExampleEncoder } from '#engine';
import { fault } from '#kernel';
import type { BaseModel } from '#models';
import type { ObjectStore } from '#objects';
import { type ControlSet, takeControl } from './control-set.ts';
import { type Drafts, withDrafts } from './draft.ts';
import { type SplitExample, splitOf } from './example-split.ts';
import { encodable, samplesOf } from './samples.ts';
import {
  nameManifest,
  type Shown,
  type SnapshotCounts,
  type SnapshotManifest,
  type SnapshotSettings,
  snapshotFiles,
  snapshotKeys,
} from './snapshot.ts';
import { type Problem, SnapshotRefused } from './snapshot-refused.ts';
import { isStored } from './stored-snapshot.ts';

export type Freezing = {
  /** In an order that does not change, some at a time, as `streamVersion` gives them. */
  examples: AsyncIterable<readonly SplitExample[]>;
  base: Pick<BaseModel, 'id' | 'kind' | 'installed'>;
  settings: SnapshotSettings;
  encoder: ExampleEncoder;
  /** What the model could do before, where that is to be measured. */
  control?: ControlSet | null;
  /** Null: it is only measured. */
  objects: ObjectStore | null;
  /** Told the name of the snapshot before anything of it is stored. */
  noted?: (sha256: string) => Promise<void>;
  /** Where files are while they are made. */
  draftFolder: string;
  /** What templates that print the date take for today: the time of the version, so that it gives the same again. */
  asOf?: Date;
  signal?: AbortSignal;
};

type Lines = Record<'train' | 'eval' | 'raw', string[]>;

/** Examples per step: few, so that other work of this process runs in between. */
const atOnce = 25;
const mostProblems = 20;
const mostShown = 3;
const mostShownChars = 2_000;
const firstDay = new Date(Date.UTC(2026, 0, 1));

/**
 * Freezes examples as the tokens that a model learns, in the object store under the digest of their description. The same
 * examples, base and settings give the same bytes; a snapshot that is there already is left as it is. What the base cannot
 * learn, an example or some of its answers, is left out, counted and named. Throws `SnapshotRefused` where nothing remains, `model_not_installed`, and `capacity_unavailable` when it cannot be encoded at present.
 */
export async function freezeSnapshot(freezing: Freezing): Promise<SnapshotManifest> {
  const { base, objects, signal = new AbortController().signal } = freezing;
  const { id, installed } = base;
  if (installed === null) throw fault('model_not_installed', { internal: `A snapshot was to be made for ${id}` });
  const facts = await freezing.encoder.describe(installed.ggufPath);
  return withDrafts(freezing.draftFolder, async (drafts) => {
    const taken = new Taking(drafts, freezing, installed.ggufPath, signal);
    await taken.all();
    const control = freezing.control
      ? await takeControl(freezing.control, { ...freezing, drafts, asOf: freezing.asOf ?? firstDay, signal })
      : null;
    const manifest = nameManifest({
      format: 1,
      kind: base.kind === 'text' ? 'sft' : 'embedding',
      base: { id, sha256: installed.sha256 },
      ...facts,
      settings: settingsOf(freezing),
      files: {
        ...{ train: drafts.train.facts(), eval: drafts.eval.facts(), raw: drafts.raw.facts() },
        ...(control ? { control: drafts.control.facts() } : {}),
        ...(control && control.replay > 0 ? { replay: drafts.replay.facts() } : {}),
      },
      counts: taken.counts,
      ...(control ? { control } : {}),
      ...(taken.problems.length > 0 ? { leftOut: taken.problems } : {}),
      shown: taken.shown,
    });
    await freezing.noted?.(manifest.sha256);
    if (objects) await store(objects, manifest, drafts, signal);
    return manifest;
  });
}

/** In one order, because the name of the snapshot depends on it. */
function settingsOf({ settings, asOf = firstDay }: Freezing): SnapshotManifest['settings'] {
  const { maxSequenceLength, queryInstruction, testRatio, seed } = settings;
  return { maxSequenceLength, queryInstruction, testRatio, seed, asOf: asOf.toISOString() };
}

/** The manifest last: with it, a snapshot is whole. */
async function store(objects: ObjectStore, manifest: SnapshotManifest, drafts: Drafts, signal: AbortSignal) {
  const keys = snapshotKeys(manifest.sha256);
  if (await isStored(objects, manifest)) return;
  for (const file of snapshotFiles) {
    if (manifest.files[file]) await drafts[file].store(objects, keys[file], signal);
  }
  await objects.put(keys.manifest, Readable.from([Buffer.from(JSON.stringify(manifest))]), { signal });
}

/** Takes examples in, one after the other. */
class Taking {
  readonly counts: SnapshotCounts = {
    examples: 0,
    train: 0,
    eval: 0,
    dropped: { too_long: 0 },
    truncated: 0,
    trainedTokens: 0,
    contextTokens: 0,
    evalTokens: 0,
    longest: 0,
  };
  readonly shown: Shown[] = [];
  /** The first examples that were left out. */
  readonly problems: Problem[] = [];
  readonly #drafts: Drafts;
  readonly #freezing: Freezing;
  readonly #ggufPath: string;
  readonly #signal: AbortSignal;

  constructor(drafts: Drafts, freezing: Freezing, ggufPath: string, signal: AbortSignal) {
    this.#drafts = drafts;
    this.#freezing = freezing;
    this.#ggufPath = ggufPath;
    this.#signal = signal;
  }

  async all(): Promise<void> {
    for await (const examples of this.#freezing.examples)
      for (let at = 0; at < examples.length; at += atOnce) await this.#take(examples.slice(at, at + atOnce));
    if (this.counts.train === 0) throw this.#nothingLeft();
  }

  #nothingLeft(): SnapshotRefused {
    const { examples, dropped } = this.counts;
    const { not_learnable: refused = 0, too_long: tooLong } = dropped;
    if (refused > 0)
      return new SnapshotRefused(
        `There is no example to train on: ${refused} of ${examples} cannot be learned from. The first: ${this.problems[0]?.reason}`,
        this.problems,
        refused,
      );
    return new SnapshotRefused(
      tooLong > 0
        ? `All answers are longer than ${this.#freezing.settings.maxSequenceLength} tokens with what stands before them.`
        : 'There is no example to train on.',
    );
  }

  async #take(examples: readonly SplitExample[]): Promise<void> {
    const { settings, encoder, asOf = firstDay } = this.#freezing;
    const items = examples.map((example) => encodable(example, settings));
    const shown = mostShown - this.shown.length;
    const options = { maxTokens: settings.maxSequenceLength, nowMs: asOf.getTime(), shown };
    const encoded = await encoder.encode(this.#ggufPath, items, options, this.#signal);
    const lines: Lines = { train: [], eval: [], raw: [] };
    for (const [index, example] of examples.entries()) {
      const one = encoded[index];
      if (one === undefined) throw new Error('An example was not encoded. This is a bug.');
      this.#takeOne(example, one, lines);
    }
    for (const file of ['train', 'eval', 'raw'] as const) await this.#drafts[file].write(lines[file]);
    // Lets other work of this process run in between.
    await turn();
  }

  #takeOne(example: SplitExample, encoded: Encoded, lines: Lines): void {
    const { counts } = this;
    counts.examples++;
    if (encoded.type === 'refused') {
      this.#leaveOut({ exampleId: example.id, reason: encoded.reason });
      return;
    }
    if (encoded.type === 'conversation' && encoded.problem !== undefined)
      this.#leaveOut({ exampleId: example.id, reason: encoded.problem });
    const split = splitOf(example, this.#freezing.settings);
    const samples = samplesOf(example, encoded);
    counts.longest = Math.max(counts.longest, samples.longest);
    counts.dropped.too_long += samples.tooLong;
    counts.truncated += samples.truncated;
    if (split === 'train') {
      counts.train += samples.lines.length;
      counts.trainedTokens += samples.trainedTokens;
      counts.contextTokens += samples.contextTokens;
      this.#show(example, encoded);
    } else {
      counts.eval += samples.lines.length;
      counts.evalTokens += samples.trainedTokens + samples.contextTokens;
    }
    lines[split === 'train' ? 'train' : 'eval'].push(...samples.lines);
    lines.raw.push(JSON.stringify({ id: example.id, split, content: example.content }));
  }

  #leaveOut(problem: Problem): void {
    const { dropped } = this.counts;
    dropped.not_learnable = (dropped.not_learnable ?? 0) + 1;
    if (this.problems.length < mostProblems) this.problems.push(problem);
  }

  #show({ id: exampleId }: SplitExample, encoded: Encoded): void {
    if (this.shown.length >= mostShown || encoded.type !== 'conversation') return;
    const parts = encoded.sequences.at(-1)?.shown;
    if (!parts) return;
    const cut = (text: string) => (text.length > mostShownChars ? `... ${text.slice(-mostShownChars)}` : text);
    this.shown.push({ exampleId, parts: parts.map(({ text, trained }) => ({ text: cut(text), trained })) });
  }
}
