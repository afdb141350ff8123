import { Fault, lazy, parseExactJson } from '#kernel';
import { serveRequests } from '#processes';
import { type NativeModel, openModel } from '../llama/binding.ts';
import type { InputFrame } from '../llama/input-frame.ts';
import { stampOf } from '../llama/model-file.ts';
import { type ChatReading, inputBound, type ReadInputs, readChat, templateOf } from '../llama/prompts.ts';
import { deserializePrompt } from '../llama/protocol.ts';
import { createVocabulary, type Vocabulary } from '../llama/vocabulary.ts';
import { queryTooLong } from '../refusals.ts';
import { type BoundedTokens, createBeginnings, createBoundedTokens, TooManyTokens } from './bounded-tokens.ts';
import { createModelCounter, type ModelCounter } from './model-counter.ts';
import { createModelEncoder, type ModelEncoder } from './model-encoder.ts';
import type {
  Countable,
  ReadRequest,
  ReadResponse,
  VocabularyRequest,
  VocabularyResponse,
} from './vocabulary-protocol.ts';

type Loaded = { stamp: string; counter: () => ModelCounter; encoder: () => ModelEncoder; reader: () => ModelReader };

const loaded = new Map<string, Promise<Loaded>>();

serveRequests(respond);

async function respond(request: VocabularyRequest): Promise<VocabularyResponse> {
  try {
    return responseTo(request, await load(request.ggufPath));
  } catch (error) {
    loaded.delete(request.ggufPath);
    throw error;
  }
}

function responseTo(request: VocabularyRequest, { counter, encoder, reader }: Loaded): VocabularyResponse {
  switch (request.type) {
    case 'count':
      return { type: 'counted', counts: itemsOf(request).map(counter().count) };
    case 'countTexts':
      return { type: 'textsCounted', counts: Uint32Array.from(request.texts, counter().countText) };
    case 'basis':
      return { type: 'basis', basis: counter().basis };
    case 'encode':
      return { type: 'encoded', items: encoder().encode(itemsOf(request), request.options) };
    case 'describe':
      return { type: 'described', facts: encoder().describe() };
    case 'readText':
    case 'readTokens':
    case 'readChat':
    case 'readInputs':
      return reader()(request);
  }
}

// as: written by the parent.
const itemsOf = ({ items }: { items: string }) => parseExactJson(items) as Countable[];

/** The file's present content: one that was replaced is loaded anew. */
async function load(ggufPath: string): Promise<Loaded> {
  const stamp = await stampOf(ggufPath);
  const known = await loaded.get(ggufPath);
  if (known?.stamp === stamp) return known;
  const opened = openModel({ path: ggufPath, gpu: false, maxThreads: 1, vocabOnly: true });
  const loading = opened.then((model) => ({
    stamp,
    counter: lazy(() => createModelCounter(model)),
    encoder: lazy(() => createModelEncoder(model)),
    reader: lazy(() => createModelReader(model)),
  }));
  loaded.set(ggufPath, loading);
  return loading;
}

/** Makes prompts and texts the tokens that a model runs on, where no steps wait for it. */
export type ModelReader = (request: ReadRequest) => ReadResponse;

export function createModelReader(model: Pick<NativeModel, 'addon' | 'facts'>): ModelReader {
  const vocabulary = createVocabulary(model);
  const bounded = createBoundedTokens(vocabulary, createBeginnings(model));
  const template = templateOf(vocabulary, () => new Date());

  return (request) => {
    try {
      if (request.type === 'readInputs') return readInputs({ vocabulary, bounded }, request);
      if (request.type === 'readText') return readText({ vocabulary, bounded }, request);
      if (request.type === 'readTokens') return readTokens(model, request.tokens);
      const tokenize: ChatReading['tokenize'] = (segments) => bounded.prompt(segments, request.most);
      const read = readChat({ template, vocabulary, tokenize }, deserializePrompt(request.prompt));
      return { type: 'chatRead', read };
    } catch (error) {
      if (error instanceof TooManyTokens) return { type: 'tooLong', of: 'prompt', atLeast: error.atLeast };
      if (!(error instanceof Fault)) throw error;
      return { type: 'refused', message: error.message, param: error.options.param ?? null };
    }
  };
}

type Text = Extract<ReadRequest, { type: 'readText' }>;

function readText({ vocabulary, bounded }: InputParts, { text, addSpecialTokens, most }: Text): ReadResponse {
  const frame = addSpecialTokens ? vocabulary.inputFrame() : noFrame(vocabulary);
  return { type: 'textRead', tokens: bounded.input(frame, text, { most, isCut: false }).tokens };
}

const noFrame = ({ tokenize }: Vocabulary): InputFrame => ({
  size: 0,
  tokenize: (text) => tokenize(text, false),
  cut: (tokens, most) => tokens.subarray(0, most),
});

function readTokens({ addon, facts }: Pick<NativeModel, 'addon' | 'facts'>, tokens: readonly number[]): ReadResponse {
  const place = tokens.findIndex((token) => token >= facts.vocabularySize);
  if (place < 0) return { type: 'tokensRead', text: addon.detokenize(Uint32Array.from(tokens), true) };
  const message = `tokens[${place}]: the model has tokens from 0 to ${facts.vocabularySize - 1}`;
  return { type: 'refused', message, param: `tokens[${place}]` };
}

type Inputs = Extract<ReadRequest, { type: 'readInputs' }>;

type InputParts = { vocabulary: Vocabulary; bounded: BoundedTokens };

function readInputs({ vocabulary, bounded }: InputParts, { texts, most, ...bounds }: Inputs): ReadResponse {
  const { query = '', maxInputTokens } = bounds;
  if (isTooLong(bounded, query, maxInputTokens)) throw queryTooLong({ atLeast: maxInputTokens, most: maxInputTokens });
  const frame = vocabulary.inputFrame(bounds.query);
  const bound = inputBound(frame, bounds);
  const read: ReadInputs = { inputs: [], report: [] };
  let sum = 0;
  for (const text of texts) {
    try {
      const { tokens, truncated } = bounded.input(frame, text, bound);
      read.inputs.push(tokens);
      read.report.push({ tokens: tokens.length, truncated });
      sum += tokens.length;
    } catch (error) {
      if (!(error instanceof TooManyTokens)) throw error;
      return { type: 'tooLong', of: 'input', atLeast: error.atLeast };
    }
    if (sum > most) {
      const isCut = read.report.some(({ truncated }) => truncated);
      return { type: 'tooLong', of: isCut ? 'cutInput' : 'inputs', atLeast: sum };
    }
  }
  return { type: 'inputsRead', read };
}

/** A query is made tokens with each document, so it is not read further than it may be long. */
function isTooLong(bounded: BoundedTokens, query: string, most: number): boolean {
  try {
    bounded.prompt([{ text: query, special: false }], most);
    return false;
  } catch (error) {
    if (error instanceof TooManyTokens) return true;
    throw error;
  }
}
