import { tokenAttributes, vocabularyTypes } from './addon.ts';
import type { NativeModel } from './binding.ts';
import { byteOfStandIn, bytesOfStandIns } from './vocabulary.ts';

/** What is known of the tokens of a text before it is tokenised: enough to leave a tokeniser out of what cannot fit. */
export type TokenBounds = {
  /** A text has so many tokens at least. */
  fewest: (text: string) => number;
  /**
   * Beginnings of a text, each twice as long as the one before, `first` being the characters of the shortest. Their tokens are those that
   * the whole text begins with.
   */
  beginnings: (text: string, first: number) => Generator<string>;
};

type Model = Pick<NativeModel, 'addon' | 'facts'>;

/** Their byte pairs are characters, and a character that is no token becomes tokens of its bytes, or nothing. */
const rawBytePairs = new Set(['gemma4', 'granite-embed-multi-311m', 'sarvam-moe', 'whitespace']);
/** Vocabularies whose tokens are found in the text, and not by what stands far from them. */
const cuttable: ReadonlySet<number> = new Set(Object.values(vocabularyTypes));
const strips = tokenAttributes.stripsLeft | tokenAttributes.stripsRight;
const allBytes = 256;
const isBlank = Uint8Array.from({ length: allBytes }, (_, byte) =>
  byte === 0x20 || (byte >= 9 && byte <= 13) ? 1 : 0,
);
/** How vocabularies write blanks and ends of lines. */
const blanks = /[\u2581\u0120]/g;
const lineEnds = /\u010a/g;
/** A cut is looked for in so many characters. */
const reach = 2_000;

/** Looks at every token once. */
export function createTokenBounds(model: Model): TokenBounds {
  const facts = readTokens(model);
  const longest = longestTokens(model, facts);
  return {
    fewest: (text) => {
      if (longest === null) return 0;
      let [all, shown] = [0, 0];
      for (const byte of Buffer.from(text)) {
        all += facts.known[byte] ?? 0;
        shown += isBlank[byte] ? 0 : (facts.known[byte] ?? 0);
      }
      const fewestShown = Math.ceil(shown / longest.shown);
      // Some tokens take all blanks beside them.
      return facts.strips ? fewestShown : Math.max(fewestShown, Math.ceil(all / longest.all));
    },
    *beginnings(text, first) {
      for (let size = first; size * 2 < text.length; size *= 2) {
        const end = facts.places === null ? -1 : lastPlace(text, size, facts.places);
        if (end < 0) return;
        yield text.slice(0, end);
      }
    },
  };
}

/** Bytes of the longest token: all of them, and those that are no blanks. */
type Longest = { all: number; shown: number };

type TokenFacts = {
  /** Of tokens as they are written, and as what they mean in vocabularies whose characters stand for bytes. */
  written: Longest;
  meant: Longest;
  /** 1 for the bytes that have a token of their own: without one, a byte may be left out. */
  known: Uint8Array;
  /** Tokens that name a byte by its number. */
  numbered: number;
  strips: boolean;
  /** Where a text may be cut; null: nowhere. */
  places: RegExp | null;
};

function readTokens({ addon, facts }: Model): TokenFacts {
  const known = new Uint8Array(allBytes);
  const [written, meant] = [
    { all: 1, shown: 1 },
    { all: 1, shown: 1 },
  ];
  const found: TokenFacts = { written, meant, known, numbered: 0, strips: false, places: null };
  const crossed = { blank: false, lineEnd: false };
  for (let token = 0; token < facts.vocabularySize; token++) {
    const text = addon.getTokenString(token) ?? '';
    const attributes = addon.getTokenAttributes(token);
    const bytes = Buffer.from(text);
    lengthen(written, bytes);
    // An added token stands as it is.
    lengthen(meant, (attributes & tokenAttributes.normal) === 0 ? bytes : bytesOfStandIns(text));
    const standsFor = text.length === 1 ? byteOfStandIn(text.charCodeAt(0)) : null;
    if (standsFor !== null) known[standsFor] = 1;
    if (/^<0x[\dA-F]{2}>$/.test(text)) found.numbered++;
    if ((attributes & strips) !== 0) found.strips = true;
    const shown = text.replace(blanks, ' ').replace(lineEnds, '\n');
    crossed.blank ||= /[a-z] /i.test(shown);
    crossed.lineEnd ||= /[a-z]\n/i.test(shown);
  }
  if (addon.getVocabularyType() === vocabularyTypes.sentencePiece) known.fill(1);
  // Where no token goes on behind a letter, none is made across the place, and each side has the tokens that it has alone.
  const ends = `${crossed.blank ? '' : ' '}${crossed.lineEnd ? '' : '\\n'}`;
  if (ends !== '' && cuttable.has(addon.getVocabularyType()))
    found.places = new RegExp(`[A-Za-z](?=[${ends}][A-Za-z])`, 'g');
  return found;
}

function lengthen(longest: Longest, bytes: Uint8Array): void {
  longest.all = Math.max(longest.all, bytes.length);
  let shown = 0;
  for (const byte of bytes) if (!isBlank[byte]) shown++;
  longest.shown = Math.max(longest.shown, shown);
}

/** null: a token may stand for any length of text, such as a word that is not known, or what is made one character first. */
function longestTokens({ addon, facts }: Model, { written, meant, numbered }: TokenFacts): Longest | null {
  const type = addon.getVocabularyType();
  if (type !== vocabularyTypes.sentencePiece && type !== vocabularyTypes.bytePair) return null;
  if (numbered === allBytes) return written;
  const isOfBytes = type === vocabularyTypes.bytePair && !rawBytePairs.has(facts.preTokenizer ?? '');
  return isOfBytes ? meant : null;
}

/** Where the text can be cut in front of `size` characters; -1: nowhere near. */
function lastPlace(text: string, size: number, places: RegExp): number {
  const from = Math.max(0, size - reach);
  let last = -1;
  for (const { index } of text.slice(from, size).matchAll(places)) last = from + index + 1;
  return last;
}
