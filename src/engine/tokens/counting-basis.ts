import { tokenAttributes, vocabularyTypes } from '../llama/addon.ts';
import type { NativeModel } from '../llama/binding.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';

/**
 * What counting needs to know of a model beside the tokens of a text: with it everything but the tokeniser itself can run
 * where the texts are.
 */
export type CountingBasis = {
  /** Null: the model has no chat template. */
  template: string | null;
  controlTexts: string[];
  bosText: string;
  eosText: string;
  /** Tokens in front of a conversation, and around a text to embed. */
  inFront: number;
  aroundInput: number;
  /** How texts are divided into words whose counts can be remembered; null: it is not known. */
  division: Division | null;
};

/** `added`: tokens that are found in any text before it is divided, the longest first, as llama.cpp looks for them. */
export type Division = {
  divider: DividerName;
  added: string[];
  /** Some of them take the blanks beside them, too. */
  addedTakeBlanks: boolean;
};

/** Names that files have for a way to divide texts that is known here. */
const dividerNames = ['qwen2'] as const;
export type DividerName = (typeof dividerNames)[number];

export type CountedModel = Pick<NativeModel, 'addon' | 'facts'>;

export function basisOf(model: CountedModel, vocabulary: Vocabulary = createVocabulary(model)): CountingBasis {
  const { controlTexts, bosText, eosText } = vocabulary;
  return {
    template: model.facts.chatTemplate,
    ...{ controlTexts, bosText, eosText },
    inFront: vocabulary.tokenizePrompt([]).length,
    aroundInput: vocabulary.tokenizeInput('').length,
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
