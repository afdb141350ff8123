import { createVocabulary } from '../llama/vocabulary.ts';
import type { Countable, TokenCount } from './counter-protocol.ts';
import { basisOf, type CountedModel, type CountingBasis } from './counting-basis.ts';
import { createItemCounter } from './item-counter.ts';
import type { Tokeniser } from './text-counter.ts';

export type ModelCounter = {
  /** What a model would see, with its own vocabulary and chat template. */
  count: (item: Countable) => TokenCount;
  /** A plain text as it is, and nothing of it is remembered. */
  countText: Tokeniser;
  basis: CountingBasis;
};

export function createModelCounter(model: CountedModel): ModelCounter {
  const vocabulary = createVocabulary(model);
  const countText: Tokeniser = (text) => vocabulary.tokenize(text, false).length;
  const basis = basisOf(model, vocabulary);
  const prepare = createItemCounter(basis, countText);
  const count = (item: Countable): TokenCount => {
    const prepared = prepare(item);
    const problem = item.type === 'conversation' && item.isChecked ? prepared.problem() : null;
    return { ...prepared.count(), ...(problem === null ? {} : { problem }) };
  };
  return { count, countText, basis };
}
