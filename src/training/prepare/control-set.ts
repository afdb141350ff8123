import type { ExampleEncoder } from '#engine';
import type { BaseModel } from '#models';
import type { Drafts } from './draft.ts';
import { type SplitExample, splitOf } from './example-split.ts';
import { encodable, samplesOf } from './samples.ts';
import type { ControlCounts, SnapshotSettings } from './snapshot.ts';
import { SnapshotRefused } from './snapshot-refused.ts';

/** Examples of what a model could do before it is trained. */
export type ControlSet = {
  /** In an order that does not change. */
  examples: AsyncIterable<readonly SplitExample[]>;
  /** Share of the examples of each step that are taken from it, so that the model does not forget; 0: it is only measured. */
  replayRatio: number;
};

type Taking = {
  drafts: Pick<Drafts, 'control' | 'replay'>;
  base: Pick<BaseModel, 'installed'>;
  settings: SnapshotSettings;
  encoder: ExampleEncoder;
  asOf: Date;
  signal: AbortSignal;
};

const atOnce = 25;
/** What is learnt along cannot tell what is forgotten: so much of the set, beside what is for testing anyway, is only measured. */
const measuredRatio = 0.2;

/** Writes a control set as the tokens that the model sees, without what it cannot learn. Throws `SnapshotRefused` where nothing remains. */
export async function takeControl({ examples, replayRatio }: ControlSet, taking: Taking): Promise<ControlCounts> {
  const { drafts, settings } = taking;
  const counts: ControlCounts = { replayRatio, examples: 0, control: 0, replay: 0, tooLong: 0 };
  let reason = '';
  for await (const batch of examples) {
    for (let at = 0; at < batch.length; at += atOnce) {
      const part = batch.slice(at, at + atOnce);
      const encoded = await encode(part, taking);
      for (const [index, example] of part.entries()) {
        const one = encoded[index];
        if (one === undefined) throw new Error('An example was not encoded. This is a bug.');
        counts.examples += 1;
        if (one.type === 'refused' || (one.type === 'conversation' && one.problem !== undefined))
          counts.notLearnable = (counts.notLearnable ?? 0) + 1;
        if (one.type === 'refused') {
          reason ||= ` The first that does not: ${one.reason}`;
          continue;
        }
        const { lines, tooLong } = samplesOf(example, one);
        const isMeasured = replayRatio === 0 || splitOf(example, { ...settings, testRatio: measuredRatio }) === 'test';
        const file = isMeasured ? 'control' : 'replay';
        await drafts[file].write(lines);
        counts[file] += lines.length;
        counts.tooLong += tooLong;
      }
    }
  }
  if (counts.control === 0) throw new SnapshotRefused(`The control set has no example to measure that fits.${reason}`);
  if (replayRatio > 0 && counts.replay === 0)
    throw new SnapshotRefused(`The control set has no example to learn along that fits.${reason}`);
  return counts;
}

function encode(examples: readonly SplitExample[], { base, settings, encoder, asOf, signal }: Taking) {
  const items = examples.map((example) => encodable(example, settings));
  const options = { maxTokens: settings.maxSequenceLength, nowMs: asOf.getTime(), shown: 0 };
  return encoder.encode(base.installed?.ggufPath ?? '', items, options, signal);
}
