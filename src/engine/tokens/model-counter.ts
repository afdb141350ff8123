import { tokenAttributes, vocabularyTypes } from '../llama/addon.ts';
import type { NativeModel } from '../llama/binding.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { createItemCounter, type Tokeniser } from './item-counter.ts';
import {
  type Countable,
  type CountingBasis,
  type Division,
  dividerNames,
  type TokenCount,
} from './vocabulary-protocol.ts';

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

type CountedModel = Pick<NativeModel, 'addon' | 'facts'>;

function basisOf(model: CountedModel, vocabulary: Vocabulary): CountingBasis {
  const { controlTexts, bosText, eosText } = vocabulary;
  return {
    template: model.facts.chatTemplate,
    controlTexts,
    bosText,
    eosText,
    inFront: vocabulary.tokenizePrompt([]).length,
    aroundInput: vocabulary.inputFrame().size,
    division: divisionOf(model),
  };
}

function divisionOf({ addon, facts }: CountedModel): Division | null {
  const divider = dividerNames.find((name) => name === facts.preTokenizer);
  if (divider === undefined || addon.getVocabularyType() !== vocabularyTypes.bytePair) return null;
  const added: string[] = [];
  let addedTakeBlanks = false;
  for (let token = 0; token < facts.vocabularySize; token++) {
    const attributes = addon.getTokenAttributes(token);
    if ((attributes & tokenAttributes.userDefined) === 0) continue;
    added.push(addon.getTokenString(token) ?? '');
    if ((attributes & (tokenAttributes.stripsLeft | tokenAttributes.stripsRight)) !== 0) addedTakeBlanks = true;
  }
  return {
    divider,
    added: added.filter((text) => text !== '').toSorted((one, other) => other.length - one.length),
    addedTakeBlanks,
  };
}
