import { vocabularyTypes } from '../llama/addon.ts';
import type { NativeModel } from '../llama/binding.ts';
import type { InputFrame } from '../llama/input-frame.ts';
import type { Vocabulary } from '../llama/vocabulary.ts';
import type { Segment } from '../text/template.ts';

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
  prompt: (segments: readonly Segment[], most: number) => Uint32Array;
  /** A text in its frame. Where it is longer than `most`, it is cut or throws `TooManyTokens`. */
  input: (
    frame: InputFrame,
    text: string,
    bound: { most: number; isCut: boolean },
  ) => { tokens: Uint32Array; truncated: boolean };
};

/** Characters that are tokenised at once: it takes some milliseconds. */
const fewestChars = 8_192;
/** Most texts have fewer characters to a token. */
const charsPerToken = 4;

export function createBoundedTokens(vocabulary: Vocabulary, beginnings: Beginnings): BoundedTokens {
  const firstChars = (most: number) => Math.max(fewestChars, most * charsPerToken);
  return {
    prompt: (segments, most) => {
      let count = 0;
      const bounded = (tokens: Uint32Array) => {
        if (count + tokens.length > most) throw new TooManyTokens(count + tokens.length);
        return tokens;
      };
      const tokenize = (text: string, special: boolean) => {
        for (const beginning of beginnings(text, firstChars(most - count)))
          bounded(vocabulary.tokenize(beginning, special));
        const tokens = bounded(vocabulary.tokenize(text, special));
        count += tokens.length;
        return tokens;
      };
      return vocabulary.tokenizePrompt(segments, tokenize);
    },
    input: (frame, text, { most, isCut }) => {
      for (const beginning of [...beginnings(text, firstChars(most)), text]) {
        const tokens = frame.tokenize(beginning);
        if (tokens.length <= most && beginning === text) return { tokens, truncated: false };
        if (tokens.length <= most) continue;
        if (!isCut) throw new TooManyTokens(tokens.length);
        return { tokens: frame.cut(tokens, most), truncated: true };
      }
      throw new Error('A text is no beginning of itself. This is a bug.');
    },
  };
}

/**
 * Beginnings of a text, each twice as long as the one before, `first` being the characters of the shortest. Their tokens are those that
 * the whole text begins with.
 */
export type Beginnings = (text: string, first: number) => Generator<string>;

/** Vocabularies whose tokens are found in the text, and not by what stands far from them. */
const cuttable: ReadonlySet<number> = new Set(Object.values(vocabularyTypes));
/** How vocabularies write blanks and ends of lines. */
const blanks = /[\u2581\u0120]/g;
const lineEnds = /\u010a/g;
/** A cut is looked for in so many characters. */
const reach = 2_000;

export function createBeginnings(model: Pick<NativeModel, 'addon' | 'facts'>): Beginnings {
  const cuts = cutsOf(model);
  return function* beginnings(text, first) {
    for (let size = first; size * 2 < text.length; size *= 2) {
      const end = cuts === null ? -1 : lastCut(text, size, cuts);
      if (end < 0) return;
      yield text.slice(0, end);
    }
  };
}

/** Where no token goes on behind a letter, none is made across that place, and each side has the tokens that it has alone. Null: nowhere. */
function cutsOf({ addon, facts }: Pick<NativeModel, 'addon' | 'facts'>): RegExp | null {
  const crossed = { blank: false, lineEnd: false };
  for (let token = 0; token < facts.vocabularySize; token++) {
    const text = (addon.getTokenString(token) ?? '').replace(blanks, ' ').replace(lineEnds, '\n');
    crossed.blank ||= /[a-z] /i.test(text);
    crossed.lineEnd ||= /[a-z]\n/i.test(text);
  }
  const ends = `${crossed.blank ? '' : ' '}${crossed.lineEnd ? '' : '\\n'}`;
  if (ends === '' || !cuttable.has(addon.getVocabularyType())) return null;
  return new RegExp(`[A-Za-z](?=[${ends}][A-Za-z])`, 'g');
}

/** Where the text can be cut in front of `size` characters; -1: nowhere near. */
function lastCut(text: string, size: number, cuts: RegExp): number {
  const from = Math.max(0, size - reach);
  let last = -1;
  for (const { index } of text.slice(from, size).matchAll(cuts)) last = from + index + 1;
  return last;
}
