import { createHash } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { countableOf, type ExampleContent, type Split } from '#datasets';
import type { Countable, Encoded, ExampleEncoder } from '#engine';
import { withQueryInstruction } from '#models';
import type { SnapshotSettings } from './snapshot.ts';

export type SplitExample = { id: string; split: Split; content: ExampleContent };
export type EncodedExample = { example: SplitExample; encoded: Encoded };

export type EncodingDeps = {
  encoder: ExampleEncoder;
  ggufPath: string;
  settings: SnapshotSettings;
  asOf: Date;
  signal: AbortSignal;
};

/** Examples per step: few, so that other work of this process runs in between. */
const batchSize = 25;

export async function* encodeExamples(
  examples: AsyncIterable<readonly SplitExample[]>,
  { encoder, ggufPath, settings, asOf, signal }: EncodingDeps,
): AsyncGenerator<EncodedExample[]> {
  const options = { maxTokens: settings.maxSequenceLength, nowMs: asOf.getTime() };
  for await (const some of examples) {
    for (let at = 0; at < some.length; at += batchSize) {
      const batch = some.slice(at, at + batchSize);
      const items = batch.map((example) => encodable(example, settings));
      const encoded = await encoder.encode(ggufPath, items, options, signal);
      yield batch.map((example, index) => {
        const one = encoded[index];
        if (one === undefined) throw new Error('An example was not encoded. This is a bug.');
        return { example, encoded: one };
      });
      await yieldToEventLoop();
    }
  }
}

function encodable({ content }: SplitExample, { queryInstruction }: SnapshotSettings): Countable {
  if (!('query' in content)) return countableOf(content);
  const { query, positives, negatives } = content;
  const passages = [...positives, ...negatives].map(({ text }) => text);
  return { type: 'inputs', texts: [withQueryInstruction(queryInstruction, query), ...passages] };
}

/**
 * The split of an example. What is for testing stays so. Others are held out by a hash of what they say, so that examples which
 * come later move none, and the same examples under other ids are split alike; the same query in several examples goes one way,
 * or it would be tested with what was learnt.
 */
export function splitOf(
  { split, content }: Pick<SplitExample, 'split' | 'content'>,
  { testRatio, seed }: Pick<SnapshotSettings, 'testRatio' | 'seed'>,
): Split {
  if (split === 'test' || testRatio === null) return split;
  const own = 'query' in content ? content.query.trim().toLowerCase() : JSON.stringify(content);
  const hash = createHash('sha256').update(`${seed} ${own}`).digest().readUInt32BE(0);
  return hash / 2 ** 32 < testRatio ? 'test' : 'train';
}

type Samples = {
  lines: string[];
  trainedTokens: number;
  contextTokens: number;
  longest: number;
  tooLong: number;
  truncated: number;
};

export function samplesOf(example: SplitExample, encoded: Exclude<Encoded, { type: 'refused' }>): Samples {
  return encoded.type === 'inputs' ? pairs(example, encoded) : sequences(example, encoded);
}

function sequences({ id }: SplitExample, encoded: Extract<Encoded, { type: 'conversation' }>): Samples {
  const lengths = encoded.sequences.map(({ ids }) => ids.length);
  const trained = sum(encoded.sequences.flatMap(({ spans }) => spans.map(([start, end]) => end - start)));
  return {
    lines: encoded.sequences.map(({ ids, spans }) => JSON.stringify({ id, ids: [...ids], mask: spans })),
    trainedTokens: trained,
    contextTokens: sum(lengths) - trained,
    longest: Math.max(0, ...lengths),
    tooLong: encoded.tooLong,
    truncated: 0,
  };
}

/** A pair for each positive; all of them have all negatives. */
function pairs({ id, content }: SplitExample, encoded: Extract<Encoded, { type: 'inputs' }>): Samples {
  const positives = 'query' in content ? content.positives.length : 0;
  const [query = [], ...passages] = encoded.inputs.map((input) => [...input]);
  const negatives = passages.slice(positives);
  const made = passages.slice(0, positives).map((positive) => ({ id, q: query, p: positive, n: negatives }));
  const lengths = encoded.inputs.map((input) => input.length);
  return {
    lines: made.map((pair) => JSON.stringify(pair)),
    trainedTokens: 0,
    contextTokens: sum(lengths),
    longest: Math.max(0, ...lengths),
    tooLong: 0,
    truncated: encoded.truncated,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
