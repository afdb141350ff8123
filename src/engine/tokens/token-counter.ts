import { fault } from '#kernel';
import type { EngineModel } from '../port.ts';
import { batches } from './batches.ts';
import type { Countable, TokenCount } from './counter-protocol.ts';
import { VocabularyChild, type VocabularyChildOptions } from './vocabulary-child.ts';

/** Counts tokens exactly as a model sees them, without loading the model and without a place in its queue. */
export type TokenCounter = {
  /**
   * Counts in the order of the items. Throws `model_not_installed`, and `capacity_unavailable` when counting fails or takes
   * too long.
   */
  count: (modelId: string, items: readonly Countable[], signal?: AbortSignal) => Promise<TokenCount[]>;
  close: () => Promise<void>;
};

/** Batches of a caller that wait for the child: others have their turn in between. */
const atOnce = 3;

export type TokenCounterOptions = VocabularyChildOptions & {
  /** The installed models at present; asked at every call. */
  models: () => readonly EngineModel[];
};

/** One child process counts for all models. */
export function createTokenCounter(options: TokenCounterOptions): TokenCounter {
  const child = new VocabularyChild(options);
  return {
    count: async (modelId, items, signal) => {
      const model = options.models().find(({ id }) => id === modelId);
      if (!model) throw fault('model_not_installed', { internal: `Tokens were to be counted for ${modelId}` });
      const counts: TokenCount[] = [];
      const asked: ReturnType<typeof child.ask>[] = [];
      const takeFirst = async () => {
        const answer = await asked.shift();
        if (answer?.type === 'counted') counts.push(...answer.counts);
      };
      for (const batch of batches(items)) {
        signal?.throwIfAborted();
        const answer = child.ask({ type: 'count', ggufPath: model.ggufPath, items: batch });
        // It is waited for later, or never.
        answer.catch(() => {});
        asked.push(answer);
        // The child has the next one at hand while the first one is on its way back.
        if (asked.length >= atOnce) await takeFirst();
      }
      while (asked.length > 0) await takeFirst();
      return counts;
    },
    close: () => child.close(),
  };
}
