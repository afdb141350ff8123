import { Fault } from '#kernel';
import type { NativeModel } from '../llama/binding.ts';
import { type ReadInputs, readChat, templateOf } from '../llama/prompts.ts';
import { deserializePrompt } from '../llama/protocol.ts';
import { createVocabulary } from '../llama/vocabulary.ts';
import { type BoundedTokens, createBeginnings, createBoundedTokens, TooManyTokens } from './bounded-tokens.ts';
import type { ReadRequest, ReadResponse } from './vocabulary-protocol.ts';

/** Makes prompts and texts the tokens that a model runs on, where no steps wait for it. */
export type ModelReader = (request: ReadRequest) => ReadResponse;

export function createModelReader(model: Pick<NativeModel, 'addon' | 'facts'>): ModelReader {
  const vocabulary = createVocabulary(model);
  const bounded = createBoundedTokens(vocabulary, createBeginnings(model));
  const template = templateOf(model, vocabulary, () => new Date());

  return (request) => {
    if (request.type === 'readInputs') return readInputs(bounded, request);
    try {
      const tokenize: Parameters<typeof readChat>[2] = (segments) => bounded.prompt(segments, request.most);
      return { type: 'chatRead', read: readChat(template(), deserializePrompt(request.prompt), tokenize) };
    } catch (error) {
      if (error instanceof TooManyTokens) return { type: 'tooLong', of: 'prompt', atLeast: error.atLeast };
      if (!(error instanceof Fault)) throw error;
      return { type: 'refused', message: error.message, param: error.options.param ?? null };
    }
  };
}

type Inputs = Extract<ReadRequest, { type: 'readInputs' }>;

function readInputs(bounded: BoundedTokens, { texts, maxInputTokens, truncate, most }: Inputs): ReadResponse {
  const read: ReadInputs = { inputs: [], report: [] };
  let sum = 0;
  for (const text of texts) {
    try {
      const { tokens, truncated } = bounded.input(text, maxInputTokens, truncate);
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
