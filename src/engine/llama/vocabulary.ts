import type { Segment } from '../text/template.ts';
import { type Token, tokenAttributes, vocabularyTypes } from './addon.ts';
import type { NativeModel } from './binding.ts';
import { type CharacterRules, createCharacterRules } from './character-rules.ts';

/** The tokens of a model: text to tokens, and tokens to the exact bytes of their text. */
export type Vocabulary = {
  /** `special`: control tokens in the text become tokens; else they are ordinary characters. */
  tokenize: (text: string, special: boolean) => Uint32Array;
  /** Segments of a rendered prompt, with the model's start token in front where it wants one. `tokenize` may stop. */
  tokenizePrompt: (segments: readonly Segment[], tokenize?: Vocabulary['tokenize']) => Uint32Array;
  /** A text to embed, with the start and end tokens that the model wants. */
  tokenizeInput: (text: string) => Uint32Array;
  /** The first tokens of an input, its end token kept. */
  cutInput: (tokens: Uint32Array, most: number) => Uint32Array;
  /** Bytes of the token's text; none for control tokens, which are never shown. */
  bytesOf: (token: Token) => Uint8Array;
  /** Decodes the token's text at once, where it is whole characters; null where its bytes need their neighbours. */
  textOf: (token: Token) => string | null;
  isEnd: (token: Token) => boolean;
  /** Made of all tokens, which takes as long as a step of a large model. */
  characterRules: () => CharacterRules;
  /** The single token with this text, or null. */
  find: (text: string) => Token | null;
  /** Texts of the tokens of type CONTROL. */
  controlTexts: string[];
  bosText: string;
  eosText: string;
};

/** Tags that the output parser must see even where a model declares them as control tokens. */
const shownTags = new Set(['<think>', '</think>', '<tool_call>', '</tool_call>']);
const hidden = tokenAttributes.control | tokenAttributes.unknown;
const nothing = new Uint8Array(0);

export function createVocabulary({ addon, facts }: Pick<NativeModel, 'addon' | 'facts'>): Vocabulary {
  const { start, end } = ownTokens(addon);
  const nameOf = (token: Token) => (token < 0 ? '' : (addon.getTokenString(token) ?? ''));
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const bytesOf = remembered((token) => readBytes(addon, token));
  const decodeWhole = (token: Token): string | null => {
    try {
      return strict.decode(bytesOf(token));
    } catch {
      return null;
    }
  };

  const ownTokenize: Vocabulary['tokenize'] = (text, special) => addon.tokenize(text, special);

  return {
    tokenize: ownTokenize,
    tokenizePrompt: (segments, tokenize = ownTokenize) => {
      const parts = segments.map((segment) => tokenize(segment.text, segment.special));
      // Many templates write the start token themselves.
      return concatenate(parts[0]?.[0] === start[0] ? parts : [start, ...parts]);
    },
    tokenizeInput: (text) => concatenate([start, addon.tokenize(text, false), end]),
    cutInput: (tokens, most) => concatenate([tokens.subarray(0, Math.max(0, most - end.length)), end]),
    bytesOf,
    textOf: remembered(decodeWhole),
    isEnd: remembered((token) => addon.isEogToken(token)),
    characterRules: () =>
      createCharacterRules({
        count: facts.vocabularySize,
        shown: (token) => readBytes(addon, token),
        isEnd: (token) => addon.isEogToken(token),
      }),
    find: (text) => {
      const tokens = addon.tokenize(text, true);
      const [token] = tokens;
      return tokens.length === 1 && token !== undefined && addon.getTokenString(token) === text ? token : null;
    },
    controlTexts: controlTokens(addon, facts.vocabularySize).map(nameOf),
    bosText: nameOf(addon.tokenBos()),
    eosText: nameOf(addon.tokenEos()),
  };
}

/** Asks once per token. */
function remembered<Value>(read: (token: Token) => Value): (token: Token) => Value {
  const known: Value[] = [];
  return (token) => {
    const value = known[token];
    if (value !== undefined) return value;
    const first = read(token);
    known[token] = first;
    return first;
  };
}

/** What llama.cpp's own tokeniser puts around a text. */
function ownTokens(addon: NativeModel['addon']): { start: Uint32Array; end: Uint32Array } {
  const type = addon.getVocabularyType();
  const isWordPiece = type === vocabularyTypes.wordPiece;
  const isUnigram = type === vocabularyTypes.unigram;
  const endToken = isWordPiece ? addon.sepToken() : addon.tokenEos();
  return {
    start: tokensOf(isWordPiece || (addon.shouldPrependBosToken() && !isUnigram), addon.tokenBos()),
    end: tokensOf(isWordPiece || isUnigram || addon.shouldAppendEosToken(), endToken),
  };
}

function readBytes(addon: NativeModel['addon'], token: Token): Uint8Array {
  const type = addon.getVocabularyType();
  const attributes = addon.getTokenAttributes(token);
  const text = addon.getTokenString(token) ?? '';
  const encoder = new TextEncoder();
  if ((attributes & hidden) !== 0 && !shownTags.has(text)) return nothing;
  if ((attributes & tokenAttributes.byte) !== 0) return Uint8Array.of(Number.parseInt(text.slice(3, 5), 16));
  const isNormal = (attributes & tokenAttributes.normal) !== 0;
  if (type === vocabularyTypes.bytePair && isNormal) return bytesOfStandIns(text);
  if (type === vocabularyTypes.sentencePiece) return encoder.encode(text.replaceAll('\u2581', ' '));
  // Added tokens stand as they are; other kinds of vocabulary have no bytes of their own.
  return encoder.encode(type === vocabularyTypes.bytePair ? text : addon.detokenize(Uint32Array.of(token), true));
}

function controlTokens(addon: NativeModel['addon'], size: number): Token[] {
  const tokens: Token[] = [];
  for (let token = 0; token < size; token++) {
    if ((addon.getTokenAttributes(token) & tokenAttributes.control) !== 0) tokens.push(token);
  }
  return tokens;
}

function tokensOf(wanted: boolean, token: Token): Uint32Array {
  return wanted && token >= 0 ? Uint32Array.of(token) : new Uint32Array(0);
}

export function concatenate(parts: readonly Uint32Array[]): Uint32Array {
  const joined = new Uint32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** Text of tokens that arrive one by one; an incomplete character waits for the rest of its bytes, and is left out where they never come. */
export type TokenText = {
  push: (token: Token) => string;
  /** Whether a character may be incomplete; wrongly true behind whole ones outside ASCII. */
  waits: () => boolean;
};

export function createTokenText(vocabulary: Vocabulary): TokenText {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let whole = true;
  return {
    push: (token) => {
      const text = whole ? vocabulary.textOf(token) : null;
      if (text !== null) return text;
      const part = vocabulary.bytesOf(token);
      const decoded = decoder.decode(part, { stream: true });
      whole = !endsInside(part, whole);
      return decoded;
    },
    waits: () => !whole,
  };
}

/** Whether a character may be incomplete behind these bytes. Wrongly true costs time only: the decoder stays in use. */
function endsInside(part: Uint8Array, before: boolean): boolean {
  if (part.length === 0) return !before;
  return (part.at(-1) ?? 0) >= 0x80;
}

/** GPT-2 tokenisers write each byte as a printable character. */
export function bytesOfStandIns(text: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const byte = byteOfStandIn(code);
    // A character without a byte comes from a vocabulary with raw text in it.
    if (byte === null) bytes.push(...new TextEncoder().encode(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Printable Latin-1 stands for itself; the other 68 bytes follow each other from U+0100 on. */
export function byteOfStandIn(code: number): number | null {
  if ((code >= 0x21 && code <= 0x7e) || (code >= 0xa1 && code <= 0xac) || (code >= 0xae && code <= 0xff)) return code;
  if (code < 0x100 || code > 0x143) return null;
  const place = code - 0x100;
  return place <= 0x20 ? place : place <= 0x42 ? place - 0x21 + 0x7f : 0xad;
}
