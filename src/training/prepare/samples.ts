import { countableOf } from '#datasets';
import type { Countable, Encoded } from '#engine';
import { withQueryInstruction } from '#models';
import type { SplitExample } from './example-split.ts';
import type { SnapshotSettings } from './snapshot.ts';

/** What an example makes of the files: lines, and how much is in them. */
export type Samples = {
  lines: string[];
  trainedTokens: number;
  contextTokens: number;
  longest: number;
  tooLong: number;
  truncated: number;
};

/** What the encoder has to see of an example: a conversation, or the query, the positives and the negatives. */
export function encodable({ content }: SplitExample, { queryInstruction }: SnapshotSettings): Countable {
  if (!('query' in content)) return countableOf(content);
  const { query, positives, negatives } = content;
  const passages = [...positives, ...negatives].map(({ text }) => text);
  return { type: 'inputs', texts: [withQueryInstruction(queryInstruction, query), ...passages] };
}

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
