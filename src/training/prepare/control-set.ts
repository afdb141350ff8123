import type { Drafts } from './draft.ts';
import { type EncodingDeps, encodeExamples, type SplitExample, samplesOf, splitOf } from './samples.ts';
import type { ControlCounts, SnapshotSettings } from './snapshot.ts';
import { SnapshotRefused } from './snapshot.ts';

/** Examples of what a model could do before it is trained. */
export type ControlSet = {
  /** In an order that does not change. */
  examples: AsyncIterable<readonly SplitExample[]>;
  /** Share of the examples of each step that are taken from it, so that the model does not forget; 0: it is only measured. */
  replayRatio: number;
};

/** Replayed examples cannot tell what is forgotten: so much of the set, beside its test split, is only measured. */
const measuredRatio = 0.2;

export async function writeControlSet(
  { examples, replayRatio }: ControlSet,
  drafts: Pick<Drafts, 'control' | 'replay'>,
  { settings, ...deps }: EncodingDeps & { settings: SnapshotSettings },
): Promise<ControlCounts> {
  const counts: ControlCounts = { replayRatio, examples: 0, control: 0, replay: 0, tooLong: 0 };
  let reason = '';
  for await (const batch of encodeExamples(examples, { ...deps, settings })) {
    for (const { example, encoded } of batch) {
      counts.examples++;
      if (encoded.type === 'refused' || (encoded.type === 'conversation' && encoded.problem !== undefined))
        counts.notLearnable = (counts.notLearnable ?? 0) + 1;
      if (encoded.type === 'refused') {
        reason ||= ` The first that does not: ${encoded.reason}`;
        continue;
      }
      const { lines, tooLong } = samplesOf(example, encoded);
      const isMeasured = replayRatio === 0 || splitOf(example, { ...settings, testRatio: measuredRatio }) === 'test';
      const file = isMeasured ? 'control' : 'replay';
      await drafts[file].write(lines);
      counts[file] += lines.length;
      counts.tooLong += tooLong;
    }
  }
  if (counts.control === 0)
    throw new SnapshotRefused(`The regression check has no example to measure that fits.${reason}`);
  if (replayRatio > 0 && counts.replay === 0)
    throw new SnapshotRefused(`The regression check has no example to learn along that fits.${reason}`);
  return counts;
}
