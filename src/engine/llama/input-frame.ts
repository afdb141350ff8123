import { vocabularyTypes } from './addon.ts';
import type { NativeModel } from './binding.ts';

/** What stands around a text that is embedded, or around the document that a reranker scores. */
export type InputFrame = {
  /** Tokens of a frame without a text. */
  size: number;
  tokenize: (text: string) => Uint32Array;
  /** Shortens the text, never the frame, so that there are `most` tokens, if the frame is no longer itself. */
  cut: (tokens: Uint32Array, most: number) => Uint32Array;
};

type FramedModel = Pick<NativeModel, 'addon' | 'facts'>;

type FrameParts = {
  head: Uint32Array;
  /** Becomes tokens together with the text. */
  lead: string;
  tail: Uint32Array;
};

/** The frame of a text to embed: the start and end tokens that the model wants. */
export function inputFrame({ addon }: Pick<FramedModel, 'addon'>): InputFrame {
  const { start: head, end: tail } = ownTokens(addon);
  return frameOf(addon, { head, lead: '', tail });
}

/**
 * The frame of a document for this query, as llama.cpp's server makes it: by the model's template for reranking, or as BERT takes
 * pairs. `controlTexts`: those of the vocabulary; in query and document they are ordinary characters.
 */
export function rerankFrame(model: FramedModel, controlTexts: readonly string[], query: string): InputFrame {
  const { addon, facts } = model;
  const { template } = facts.rerank;
  if (template !== null) return frameOf(addon, partsOfTemplate(addon, { template, controlTexts, query }));
  const { start, end } = ownTokens(addon);
  const head = concatenate([start, addon.tokenize(query, false), separatorOf(model, end)]);
  return frameOf(addon, { head, lead: '', tail: end });
}

function frameOf(addon: FramedModel['addon'], { head, lead, tail }: FrameParts): InputFrame {
  const size = head.length + addon.tokenize(lead, false).length + tail.length;
  return {
    size,
    tokenize: (text) => concatenate([head, addon.tokenize(lead + text, false), tail]),
    cut: (tokens, most) => concatenate([tokens.subarray(0, Math.max(size, most) - tail.length), tail]),
  };
}

const documentMark = '{document}';

function partsOfTemplate(
  addon: FramedModel['addon'],
  { template, controlTexts, query }: { template: string; controlTexts: readonly string[]; query: string },
): FrameParts {
  const place = template.indexOf(documentMark);
  if (place < 0) throw new Error('The template for reranking has no {document}.');
  const fill = (text: string) => text.replaceAll('{query}', () => query);
  const [first = '', ...controls] = splitAt(template.slice(0, place), controlTexts);
  const lead = fill(controls.pop() ?? first);
  const before = controls.length === 0 ? [] : [first, ...controls];
  const tokens = (parts: readonly string[]) =>
    parts.map((part) => (controlTexts.includes(part) ? addon.tokenize(part, true) : addon.tokenize(fill(part), false)));
  return {
    head: concatenate(tokens(before)),
    lead,
    tail: concatenate(tokens(splitAt(template.slice(place + documentMark.length), controlTexts))),
  };
}

/** The parts of a text, among them the marks in their places. The last part is no mark. */
function splitAt(text: string, marks: readonly string[]): string[] {
  if (marks.length === 0) return [text];
  const longestFirst = marks.toSorted((a, b) => b.length - a.length);
  const any = new RegExp(`(${longestFirst.map((mark) => RegExp.escape(mark)).join('|')})`);
  return text.split(any);
}

/** What llama.cpp's own tokeniser puts around a text. */
export function ownTokens(addon: FramedModel['addon']): { start: Uint32Array; end: Uint32Array } {
  const isWordPiece = addon.getVocabularyType() === vocabularyTypes.wordPiece;
  const endToken = isWordPiece || addon.tokenEos() < 0 ? addon.sepToken() : addon.tokenEos();
  return {
    start: tokensOf(isWordPiece || addon.shouldPrependBosToken(), addon.tokenBos()),
    end: tokensOf(isWordPiece || addon.shouldAppendEosToken(), endToken),
  };
}

/** Ways to divide text whose models were trained with a separator between texts. */
const separated: ReadonlySet<string | null> = new Set(['jina-v1-en', 'jina-v2-code', 'roberta-bpe']);

function separatorOf({ addon, facts }: FramedModel, end: Uint32Array): Uint32Array {
  if (addon.getVocabularyType() === vocabularyTypes.wordPiece) return end;
  const hasSeparator = facts.rerank.addsSeparator ?? separated.has(facts.preTokenizer);
  return concatenate([end, tokensOf(hasSeparator, addon.sepToken())]);
}

function tokensOf(isUsed: boolean, token: number): Uint32Array {
  return isUsed && token >= 0 ? Uint32Array.of(token) : new Uint32Array(0);
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
