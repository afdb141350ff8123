import type { Segment } from '../text/template.ts';
import type { TokenBounds } from './token-bounds.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A text that has more tokens than it may. It was not read any further. */
export class TooManyTokens extends Error {
  override readonly name = 'TooManyTokens';
  readonly atLeast: number;

  constructor(atLeast: number) {
    super(`There are ${atLeast} tokens at least.`);
    this.atLeast = atLeast;
  }
}

/** Tokens of texts of which no more is read than may fit. */
export type BoundedTokens = {
  /** Throws `TooManyTokens` where there are more than `most`. */
  prompt: (segments: readonly Segment[], most: number) => Uint32Array;
  /** A text to embed. Where it is longer than `most`, it is cut or throws `TooManyTokens`. */
  input: (text: string, most: number, truncate: boolean) => { tokens: Uint32Array; truncated: boolean };
};

/** Characters that are tokenised at once: it takes some milliseconds. */
const fewestChars = 8_192;
/** Most texts have fewer characters to a token. */
const charsPerToken = 4;

export function createBoundedTokens(vocabulary: Vocabulary, bounds: TokenBounds): BoundedTokens {
  const firstChars = (most: number) => Math.max(fewestChars, most * charsPerToken);

  return {
    prompt: (segments, most) => {
      const fewest = segments.reduce((sum, { text, special }) => sum + (special ? 1 : bounds.fewest(text)), 0);
      if (fewest > most) throw new TooManyTokens(fewest);
      let count = 0;
      const tokenize = (text: string, special: boolean) => {
        for (const beginning of bounds.beginnings(text, firstChars(most - count))) {
          const tokens = count + vocabulary.tokenize(beginning, special).length;
          if (tokens > most) throw new TooManyTokens(tokens);
        }
        const tokens = vocabulary.tokenize(text, special);
        count += tokens.length;
        if (count > most) throw new TooManyTokens(count);
        return tokens;
      };
      return vocabulary.tokenizePrompt(segments, tokenize);
    },
    input: (text, most, truncate) => {
      const fewest = bounds.fewest(text);
      if (!truncate && fewest > most) throw new TooManyTokens(fewest);
      for (const beginning of bounds.beginnings(text, firstChars(most))) {
        const tokens = vocabulary.tokenizeInput(beginning);
        if (tokens.length <= most) continue;
        if (!truncate) throw new TooManyTokens(tokens.length);
        return { tokens: vocabulary.cutInput(tokens, most), truncated: true };
      }
      const tokens = vocabulary.tokenizeInput(text);
      if (tokens.length <= most) return { tokens, truncated: false };
      if (!truncate) throw new TooManyTokens(tokens.length);
      return { tokens: vocabulary.cutInput(tokens, most), truncated: true };
    },
  };
}
