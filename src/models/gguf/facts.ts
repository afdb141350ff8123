import { basename } from 'node:path';
import { GgufError, type GgufHeader, readGgufHeader } from '#engine';
import { systemCodeOf } from '#kernel';
import { ModelError, reasonOf } from '../model-error.ts';

export type GgufFacts = {
  architecture: string;
  name: string | null;
  /** Longest context the model was made for, tokens. */
  contextTokens: number | null;
  dimensions: number | null;
  hasChatTemplate: boolean;
  /** The template can switch reasoning on and off, as Qwen3's does. */
  thinks: boolean;
  knowsTools: boolean;
  /** null: the file does not say. */
  pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank' | null;
  /** Whether the tokeniser appends the end token; null: the file does not say. */
  addsEndToken: boolean | null;
  parameters: number;
  fileBytes: number;
};

const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const;
const splitName = /-\d{5}-of-\d{5}\.gguf$/i;

/** Reads the facts of a model file. Throws `ModelError` for damaged files, parts of split files, adapters and projectors. */
export function readGgufFacts(path: string): GgufFacts {
  const file = basename(path);
  const header = readHeader(path);
  if (splitName.test(file) || (numberOf(header, 'split.count') ?? 1) > 1) {
    throw new ModelError(`${file} is one part of a split model; join the parts first with llama-gguf-split --merge.`);
  }
  const architecture = textOf(header, 'general.architecture');
  if (!architecture || !/^[a-z0-9._-]{1,64}$/i.test(architecture)) {
    throw new ModelError(`${file} names no architecture; it is not a model that llama.cpp can load.`);
  }
  const type = textOf(header, 'general.type');
  if (type !== null && type !== 'model') {
    throw new ModelError(`${file} holds ${JSON.stringify(type.slice(0, 40))}, not a model.`);
  }
  if (header.tensorCount === 0 || !header.arrayLengths.has('tokenizer.ggml.tokens')) {
    throw new ModelError(
      `${file} has no ${header.tensorCount === 0 ? 'weights' : 'tokeniser'}, so it cannot be served.`,
    );
  }
  return factsOf(header, architecture);
}

function readHeader(path: string): GgufHeader {
  try {
    return readGgufHeader(path);
  } catch (error) {
    if (error instanceof GgufError) throw new ModelError(error.message, { cause: error });
    if (systemCodeOf(error) === null) throw error;
    throw new ModelError(`Cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

function factsOf(header: GgufHeader, architecture: string): GgufFacts {
  const pooling = numberOf(header, `${architecture}.pooling_type`);
  const template = textOf(header, 'tokenizer.chat_template') ?? '';
  const addsEnd = header.values.get('tokenizer.ggml.add_eos_token');
  return {
    architecture,
    name: textOf(header, 'general.name'),
    contextTokens: positiveOf(header, `${architecture}.context_length`),
    dimensions:
      positiveOf(header, `${architecture}.embedding_length_out`) ??
      positiveOf(header, `${architecture}.embedding_length`),
    hasChatTemplate: template !== '',
    thinks: template.includes('enable_thinking'),
    knowsTools: /\btools\b/.test(template),
    pooling: pooling === null ? null : (poolings[pooling] ?? null),
    addsEndToken: typeof addsEnd === 'boolean' ? addsEnd : null,
    parameters: header.parameters,
    fileBytes: header.fileBytes,
  };
}

/**
 * Checks that a file can serve as `kind`. Throws `ModelError` when it cannot; returns one line for each thing that
 * works but probably not as wished.
 */
export function checkServable(facts: GgufFacts, kind: 'text' | 'embedding', file: string): string[] {
  if (kind === 'text') {
    if (!facts.hasChatTemplate) {
      throw new ModelError(`${file} has no chat template, so it cannot chat; take an instruction-tuned model.`);
    }
    return [];
  }
  if (facts.dimensions === null) throw new ModelError(`${file} does not say how long its vectors are.`);
  if (facts.pooling === 'rank') throw new ModelError(`${file} is a reranker: it scores pairs and makes no vectors.`);
  if (facts.pooling === 'none') throw new ModelError(`${file} has no pooling: it makes no vector for a whole text.`);
  const warnings: string[] = [];
  if (facts.pooling === null) {
    warnings.push(`${file} names no pooling; if it was not made for embeddings, its vectors mean little.`);
  }
  if (facts.pooling === 'last' && facts.addsEndToken !== true) {
    warnings.push(
      `${file} does not add its end token (tokenizer.ggml.add_eos_token), which last-token pooling reads; ` +
        'its vectors may be poor. A newer conversion of the same model usually has it.',
    );
  }
  return warnings;
}

function textOf(header: GgufHeader, key: string): string | null {
  const value = header.values.get(key);
  return typeof value === 'string' ? value : null;
}

function numberOf(header: GgufHeader, key: string): number | null {
  const value = header.values.get(key);
  if (typeof value === 'bigint') return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : null;
  return typeof value === 'number' ? value : null;
}

function positiveOf(header: GgufHeader, key: string): number | null {
  const value = numberOf(header, key);
  return value !== null && Number.isSafeInteger(value) && value > 0 ? value : null;
}
