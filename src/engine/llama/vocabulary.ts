import { lazy } from '#kernel';
import { formatOf, shownTexts } from '../text/shown-tokens.ts';
import { type ChatTemplate, compileChatTemplate, type Segment } from '../text/template.ts';
import { type Token, tokenAttributes, vocabularyTypes } from './addon.ts';
import type { NativeModel } from './binding.ts';
import { type InfillTokens, infillTokens } from './infill.ts';
import { concatenate, type InputFrame, inputFrame, ownTokens, rerankFrame } from './input-frame.ts';

/** The tokens of a model: text to tokens, and tokens to the exact bytes of their text. */
export type Vocabulary = {
  /** `special`: control tokens in the text become tokens; else they are ordinary characters. */
  tokenize: (text: string, special: boolean) => Uint32Array;
  /** Segments of a rendered prompt, with the model's start token in front where it wants one. `tokenize` may stop. */
  tokenizePrompt: (segments: readonly Segment[], tokenize?: Vocabulary['tokenize']) => Uint32Array;
  /** Of texts to embed; with a query, of documents that a reranker scores for it. */
  inputFrame: (query?: string) => InputFrame;
  /** Bytes of the token's text; none for control tokens, which are never shown. */
  bytesOf: (token: Token) => Uint8Array;
  /** Decodes the token's text at once, where it is whole characters; null where its bytes need their neighbours. */
  textOf: (token: Token) => string | null;
  isEnd: (token: Token) => boolean;
  /** Its text is a marker or nothing, never content. */
  isControl: (token: Token) => boolean;
  /** Made of all tokens, which takes as long as a step of a large model. */
  characterRules: () => CharacterRules;
  find: (text: string) => Token | null;
  /** null: the model cannot fill in the middle. */
  infill: () => InfillTokens | null;
  /** Texts of the tokens of type CONTROL. */
  controlTexts: string[];
  bosText: string;
  eosText: string;
  /** null: the model has none. Throws `invalid_request` where it does not compile. */
  template: (now?: () => Date) => ChatTemplate | null;
};

const hidden = tokenAttributes.control | tokenAttributes.unknown;
const nothing = new Uint8Array(0);

type VocabularyModel = Pick<NativeModel, 'addon' | 'facts'> & Partial<Pick<NativeModel, 'createTemplateRenderer'>>;

export function createVocabulary({ addon, facts, createTemplateRenderer }: VocabularyModel): Vocabulary {
  const { start } = ownTokens(addon);
  const embeddingFrame = inputFrame({ addon });
  const nameOf = (token: Token) => (token < 0 ? '' : (addon.getTokenString(token) ?? ''));
  const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const controlTexts = controlTokens(addon, facts.vocabularySize).map(nameOf);
  const texts = { bosToken: nameOf(addon.tokenBos()), eosToken: nameOf(addon.tokenEos()) };
  const template = (now: () => Date): ChatTemplate | null => {
    const { chatTemplate: source } = facts;
    if (source === null) return null;
    return compileChatTemplate({ source, controlTokens: controlTexts, ...texts, now, native: createTemplateRenderer });
  };
  const shown = lazy(() => shownTexts(controlTexts, formatOf({ template: () => template(() => new Date()) })));
  const bytesOf = remembered((token) => readBytes(addon, token, shown()));
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
    inputFrame: (query) => (query === undefined ? embeddingFrame : rerankFrame({ addon, facts }, controlTexts, query)),
    bytesOf,
    textOf: remembered(decodeWhole),
    isEnd: remembered((token) => addon.isEogToken(token)),
    characterRules: () =>
      createCharacterRules({
        count: facts.vocabularySize,
        shown: bytesOf,
        isEnd: (token) => addon.isEogToken(token),
      }),
    find: (text) => {
      const tokens = addon.tokenize(text, true);
      const [token] = tokens;
      return tokens.length === 1 && token !== undefined && addon.getTokenString(token) === text ? token : null;
    },
    infill: () => infillTokens(addon),
    controlTexts,
    bosText: texts.bosToken,
    eosText: texts.eosToken,
    isControl: remembered((token) => (addon.getTokenAttributes(token) & tokenAttributes.control) !== 0),
    template: (now = () => new Date()) => template(now),
  };
}

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

function readBytes(addon: NativeModel['addon'], token: Token, shown: ReadonlySet<string>): Uint8Array {
  const type = addon.getVocabularyType();
  const attributes = addon.getTokenAttributes(token);
  const text = addon.getTokenString(token) ?? '';
  const encoder = new TextEncoder();
  if ((attributes & hidden) !== 0 && !shown.has(text)) return nothing;
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

/** What is added to the scores of these tokens. */
export type TokenBias = { keys: Uint32Array; values: Float32Array };

/**
 * What a constrained answer must not go on with, although its grammar takes it. The native grammar counts bytes that are no
 * text as characters: longer forms than needed, halves of surrogate pairs, what lies beyond Unicode, and, within one token,
 * any byte for the rest of a character. The decoder makes several replacement characters of each, so that a string became longer
 * than its schema allows. It also takes control tokens for their names, which are not shown, so that one became shorter.
 */
export type CharacterRules = {
  /** Behind a token, or at the beginning. The same object for the same rules. */
  behind: (token: Token | null) => TokenBias;
  allows: (token: Token) => boolean;
};

/** Bytes that begin a character whose second byte has a range of its own. All other second bytes are 80 to BF, which the grammar knows. */
const secondBytes = new Map<number, readonly [number, number]>([
  [0xe0, [0xa0, 0xbf]],
  [0xed, [0x80, 0x9f]],
  [0xf0, [0x90, 0xbf]],
  [0xf4, [0x80, 0x8f]],
]);

/** `shown`: the bytes of a token's text, none for control tokens. */
export function createCharacterRules(tokens: {
  count: number;
  shown: (token: Token) => Uint8Array;
  isEnd: (token: Token) => boolean;
}): CharacterRules {
  const never: Token[] = [];
  /** By their first byte, which goes on with a character. */
  const goingOn = new Map<number, Token[]>();
  /** What a token ends with, if that has a range for the byte behind it. */
  const endings = new Map<Token, number>();
  for (let token = 0; token < tokens.count; token++) {
    const bytes = tokens.shown(token);
    const [first = 0] = bytes;
    const last = bytes.at(-1) ?? 0;
    if (bytes.length === 0 ? !tokens.isEnd(token) : !isPartOfText(bytes)) never.push(token);
    else if (isContinuation(first)) goingOn.get(first)?.push(token) ?? goingOn.set(first, [token]);
    if (secondBytes.has(last)) endings.set(token, last);
  }
  const everywhere = forbidding(never);
  const behind = new Map<number, TokenBias>();
  for (const [lead, [from, to]] of secondBytes) {
    const wrong = [...goingOn].flatMap(([first, found]) => (first < from || first > to ? found : []));
    behind.set(lead, forbidding([...never, ...wrong]));
  }
  const forbidden = new Set(never);
  return {
    behind: (token) => behind.get(endings.get(token ?? -1) ?? 0) ?? everywhere,
    allows: (token) => !forbidden.has(token),
  };
}

/** Of a model that writes nothing. */
export const noCharacterRules: CharacterRules = createCharacterRules({
  count: 0,
  shown: () => new Uint8Array(0),
  isEnd: () => false,
});

function forbidding(tokens: readonly Token[]): TokenBias {
  return { keys: Uint32Array.from(tokens), values: new Float32Array(tokens.length).fill(Number.NEGATIVE_INFINITY) };
}

const isContinuation = (byte: number): boolean => byte >> 6 === 0b10;

/** Whether these bytes can stand in UTF-8: they may begin and end inside of a character. */
function isPartOfText(bytes: Uint8Array): boolean {
  let at = 0;
  while (at < 3 && isContinuation(bytes[at] ?? 0)) at++;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const length = lengthOf(lead);
    if (length === 0) return false;
    const [from, to] = secondBytes.get(lead) ?? [0x80, 0xbf];
    for (let next = 1; next < length && at + next < bytes.length; next++) {
      const byte = bytes[at + next] ?? 0;
      if (next === 1 ? byte < from || byte > to : !isContinuation(byte)) return false;
    }
    at += length;
  }
  return true;
}

function lengthOf(lead: number): number {
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  return lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
}
