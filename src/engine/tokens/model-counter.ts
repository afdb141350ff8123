import { Fault } from '#kernel';
import type { NativeModel } from '../llama/binding.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { type ChatTemplate, type Conversation, compileChatTemplate, type Segment } from '../text/template.ts';
import { createConversationSegments } from './conversation-segments.ts';
import type { Countable, TokenCount } from './counter-protocol.ts';
import { createTextCounter } from './text-counter.ts';

export type ModelCounter = (item: Countable) => TokenCount;

/** Counts what a model would see, with its own vocabulary and chat template. */
export function createModelCounter(model: Pick<NativeModel, 'addon' | 'facts'>): ModelCounter {
  const vocabulary = createVocabulary(model);
  const countText = createTextCounter(vocabulary, model);
  const segmentsOf = createConversationSegments(remembered(() => templateOf(model, vocabulary)));
  const aroundInput = vocabulary.tokenizeInput('').length;
  const inFront = vocabulary.tokenizePrompt([]).length;

  function countSegments(segments: readonly Segment[]): number {
    const [first] = segments;
    // Many templates write the start token themselves.
    const start = first?.special && first.text === vocabulary.bosText ? 0 : inFront;
    return segments.reduce((sum, { text, special }) => sum + (special ? 1 : countText(text)), start);
  }

  function countConversation(conversation: Conversation): number {
    try {
      return countSegments(segmentsOf(conversation));
    } catch (error) {
      // What the template refuses has no tokens but those of its texts.
      if (!(error instanceof Fault)) throw error;
      return conversation.messages.reduce((sum, { content }) => sum + countText(content), 0);
    }
  }

  return (item) => {
    if (item.type === 'conversation') {
      const tokens = countConversation(item);
      return { tokens, longest: tokens };
    }
    const counts = item.texts.map((text) => countText(text) + aroundInput);
    return { tokens: counts.reduce((sum, count) => sum + count, 0), longest: Math.max(0, ...counts) };
  };
}

function templateOf({ facts: { chatTemplate } }: Pick<NativeModel, 'facts'>, vocabulary: Vocabulary): ChatTemplate {
  if (chatTemplate === null) throw new Error('This model has no chat template.');
  const { controlTexts: controlTokens, bosText: bosToken, eosText: eosToken } = vocabulary;
  return compileChatTemplate({ source: chatTemplate, controlTokens, bosToken, eosToken, now: () => new Date() });
}

function remembered<Value>(make: () => Value): () => Value {
  let made: { value: Value } | null = null;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
