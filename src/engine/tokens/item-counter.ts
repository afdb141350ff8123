import { Fault, madeOnce } from '#kernel';
import { type ChatTemplate, type Conversation, compileChatTemplate } from '../text/template.ts';
import { createConversationSegments, type DividedText } from './conversation-segments.ts';
import type { Countable, TokenCount } from './counter-protocol.ts';
import type { CountingBasis } from './counting-basis.ts';
import { createLearnCheck } from './learn-check.ts';
import { createTextCounter, type Tokeniser } from './text-counter.ts';

/**
 * Prepares the counting of what a model would see. The count is `NaN` as long as `countAnew` has said so for a part of it
 * (`text-counter.ts`), and may be asked for again.
 */
export type ItemCounter = (item: Countable) => PreparedCount;

export type PreparedCount = {
  count: () => TokenCount;
  /** Why the model cannot learn it; null: nothing is known that stands in the way. */
  problem: () => string | null;
};

/** Counts with what is known of a model and its tokeniser, wherever that is. */
export function createItemCounter(basis: CountingBasis, countAnew: Tokeniser): ItemCounter {
  const { inFront, aroundInput, bosText } = basis;
  const countText = createTextCounter(basis.division, countAnew);
  const template = madeOnce(() => templateOf(basis));
  const segmentsOf = createConversationSegments(template);
  const problemOf = createLearnCheck(template);

  function countSegments(segments: readonly DividedText[]): number {
    const [first] = segments;
    // Many templates write the start token themselves.
    let tokens = first?.special && textOf(first) === bosText ? 0 : inFront;
    for (const segment of segments) tokens += segment.special ? 1 : countSegment(segment);
    return tokens;
  }

  function countSegment({ parts, known }: DividedText): number {
    if (!known) return countText(parts);
    if (Number.isNaN(known.tokens)) known.tokens = countText(parts);
    return known.tokens;
  }

  /** Null: the template refuses it. */
  function dividedByTemplate(conversation: Conversation): readonly DividedText[] | null {
    try {
      return segmentsOf(conversation);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return null;
    }
  }

  function countConversation(conversation: Conversation): () => TokenCount {
    const segments = dividedByTemplate(conversation);
    return () => {
      // What the template refuses has no tokens but those of its texts.
      const tokens = segments
        ? countSegments(segments)
        : conversation.messages.reduce((sum, { content }) => sum + countText([content]), 0);
      return { tokens, longest: tokens };
    };
  }

  return (item) => {
    if (item.type === 'conversation') return { count: countConversation(item), problem: () => problemOf(item) };
    const count = () => {
      const counts = item.texts.map((text) => countText([text]) + aroundInput);
      return { tokens: counts.reduce((sum, each) => sum + each, 0), longest: Math.max(0, ...counts) };
    };
    return { count, problem: () => null };
  };
}

/** Most have one part only. */
function textOf({ parts }: DividedText): string {
  return parts.length === 1 ? (parts[0] ?? '') : parts.join('');
}

function templateOf({ template, controlTexts: controlTokens, bosText, eosText }: CountingBasis): ChatTemplate {
  if (template === null) throw new Error('This model has no chat template.');
  const tokens = { controlTokens, bosToken: bosText, eosToken: eosText };
  return compileChatTemplate({ source: template, ...tokens, now: () => new Date() });
}
