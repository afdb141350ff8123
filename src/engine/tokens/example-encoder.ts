import { batches } from './batches.ts';
import type { Countable, Encoded, EncodeOptions, VocabularyFacts } from './counter-protocol.ts';
import { VocabularyChild, type VocabularyChildOptions } from './vocabulary-child.ts';

/** Makes of examples what a model learns, with its own vocabulary and chat template, in a process of its own. */
export type ExampleEncoder = {
  /** In the order of the items. Throws `capacity_unavailable` when it fails or takes too long. */
  encode: (
    ggufPath: string,
    items: readonly Countable[],
    options: EncodeOptions,
    signal?: AbortSignal,
  ) => Promise<Encoded[]>;
  describe: (ggufPath: string) => Promise<VocabularyFacts>;
  close: () => Promise<void>;
};

export function createExampleEncoder(options: VocabularyChildOptions): ExampleEncoder {
  const child = new VocabularyChild(options);
  return {
    encode: async (ggufPath, items, encoding, signal) => {
      const encoded: Encoded[] = [];
      for (const batch of batches(items)) {
        signal?.throwIfAborted();
        const shown = Math.max(0, encoding.shown - encoded.length);
        const options = { ...encoding, shown };
        const answer = await child.ask({ type: 'encode', ggufPath, items: JSON.stringify(batch), options });
        if (answer.type === 'encoded') encoded.push(...answer.items);
      }
      return encoded;
    },
    describe: async (ggufPath) => {
      const answer = await child.ask({ type: 'describe', ggufPath });
      if (answer.type !== 'described') throw new Error('A question got the answer of another. This is a bug.');
      return answer.facts;
    },
    close: () => child.close(),
  };
}
