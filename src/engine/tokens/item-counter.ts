import { Fault, lazy } from '#kernel';
import { type ChatTemplate, type Conversation, compileChatTemplate } from '../text/template.ts';
import { createConversationSegments, type DividedText } from './conversation-segments.ts';
import { createLearnCheck } from './learnable-turns.ts';
import type { Countable, CountingBasis, Division, TokenCount } from './vocabulary-protocol.ts';
import { canFindOnTheWay, WordCounts } from './word-counts.ts';

/**
 * Prepares the counting of what a model would see. The count is `NaN` as long as the tokeniser has said so for a part of it,
 * and may be asked for again.
 */
export type ItemCounter = (item: Countable) => PreparedCount;

export type PreparedCount = {
  count: () => TokenCount;
  /** Why the model cannot learn it; null: nothing is known that stands in the way. */
  problem: () => string | null;
};

/** Tokens of a text. One that is somewhere else says `NaN` for what it has to be asked about, which is never remembered. */
export type Tokeniser = (text: string) => number;

/** Counts with what is known of a model and its tokeniser, wherever that is. */
export function createItemCounter(basis: CountingBasis, tokeniser: Tokeniser): ItemCounter {
  const { inFront, aroundInput, bosText } = basis;
  const countText = createTextCounter(basis.division, tokeniser);
  const template = lazy(() => templateOf(basis));
  const segmentsOf = createConversationSegments(template);
  const problemOf = createLearnCheck(template);

  function countSegments(segments: readonly DividedText[]): number {
    const [first] = segments;
    // Many templates write the start token themselves.
    let tokens = first?.special && first.parts.join('') === bosText ? 0 : inFront;
    for (const segment of segments) tokens += segment.special ? 1 : countSegment(segment);
    return tokens;
  }

  function countSegment({ parts, known }: DividedText): number {
    if (!known) return countText(parts.join(''));
    if (Number.isNaN(known.tokens)) known.tokens = countText(parts.join(''));
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
        : conversation.messages.reduce((sum, { content }) => sum + countText(content), 0);
      return { tokens, longest: tokens };
    };
  }

  return (item) => {
    if (item.type === 'conversation') return { count: countConversation(item), problem: () => problemOf(item) };
    const count = () => {
      const counts = item.texts.map((text) => countText(text) + aroundInput);
      return { tokens: counts.reduce((sum, each) => sum + each, 0), longest: Math.max(0, ...counts) };
    };
    return { count, problem: () => null };
  };
}

function templateOf({ template, controlTexts: controlTokens, bosText, eosText }: CountingBasis): ChatTemplate {
  if (template === null) throw new Error('This model has no chat template.');
  const tokens = { controlTokens, bosToken: bosText, eosToken: eosText };
  return compileChatTemplate({ source: template, ...tokens, now: () => new Date() });
}

/**
 * How llama.cpp divides a text before it makes tokens of the parts, by the file's name for it. A part that is tokenised
 * alone gives the same tokens: none reaches over the edge of a part, and a part is divided no further.
 */
const dividers: Readonly<Record<Division['divider'], RegExp>> = {
  qwen2:
    /'(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/gu,
};

/** Characters that every version of Unicode and every library puts into the same class; other text is not divided here. */
const plain =
  /^[\t\n\r\x20-\x7e\u00a1-\u00ac\u00ae-\u017e\u0391-\u03a1\u03a3-\u03c9\u0400-\u045f\u2010-\u2027\u2030-\u205e\u3001-\u3003\u3008-\u3011\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3\uff01-\uff5e]*$/;

/** Longer parts hardly come again. */
const longestKnown = 24;
const mostKnown = 200_000;

/**
 * Counts plain texts, in which control tokens are ordinary characters. Where the model's way to divide text is known, the counts of words
 * are remembered: words come again and again, and counting is a hundred times as quick.
 */
export function createTextCounter(division: Division | null, tokeniser: Tokeniser): (text: string) => number {
  if (division === null) return tokeniser;
  const { added, addedTakeBlanks } = division;
  const divider = dividers[division.divider];
  const beginnings = [...new Set(added.map((text) => text.charAt(0)))];
  const known = new Map<string, number>();
  // Bytes of ASCII text: half the time of a profile, against strings of words alone.
  const canFind = !addedTakeBlanks && canFindOnTheWay(added);
  const words = new WordCounts(tokeniser, canFind ? added : []);

  function countPart(part: string): number {
    if (part.length > longestKnown) return tokeniser(part);
    const count = known.get(part);
    if (count !== undefined) return count;
    if (known.size >= mostKnown) known.clear();
    const first = tokeniser(part);
    if (!Number.isNaN(first)) known.set(part, first);
    return first;
  }

  /** Text without added tokens. */
  function countWords(text: string): number {
    const quickly = words.count(text);
    if (quickly !== null) return quickly;
    if (!plain.test(text)) return tokeniser(text);
    let count = 0;
    for (const part of text.match(divider) ?? []) count += countPart(part);
    return count;
  }

  return (text) => {
    const quickly = canFind ? words.count(text) : null;
    if (quickly !== null) return quickly;
    if (!beginnings.some((character) => text.includes(character))) return countWords(text);
    if (addedTakeBlanks) return tokeniser(text);
    let texts = [text];
    for (const token of added) if (text.includes(token)) texts = texts.flatMap((part) => part.split(token));
    // Between any two of them stood an added token.
    return texts.reduce((sum, part) => sum + countWords(part), texts.length - 1);
  };
}
