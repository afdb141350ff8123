import { basename } from 'node:path';
import { ModelError } from '../model-error.ts';
import type { ModelKind } from '../model-kinds.ts';
import { type ModelHeader, numberOf, positiveOf, readModelHeader, textOf } from './model-header.ts';

export type GgufFacts = {
  architecture: string;
  name: string | null;
  /** Longest context the model was made for, tokens. */
  contextTokens: number | null;
  /** What its RoPE scaling makes of the context that it was trained with first (YaRN); null: it has none. */
  scaledContextTokens: number | null;
  dimensions: number | null;
  hasChatTemplate: boolean;
  /** null: the file does not say. */
  pooling: 'none' | 'mean' | 'cls' | 'last' | 'rank' | null;
  /** It has the head that scores a pair of texts. Many conversions of rerankers name no pooling. */
  hasClassifier: boolean;
  /** Whether the tokeniser appends the end token; null: the file does not say. */
  addsEndToken: boolean | null;
  /** Whether a token sees those before it only, as in models that write; null: the file does not say. */
  isCausal: boolean | null;
  parameters: number;
  /** Of all files. */
  fileBytes: number;
  /** All parts of a split model in order, else the one file. */
  files: readonly string[];
};

const poolings = ['none', 'mean', 'cls', 'last', 'rank'] as const;

/** Reads the facts of a model, by the path of its file or of its first part. Throws `ModelError` for what is not a model. */
export function readGgufFacts(path: string): GgufFacts {
  return factsOf(readModelHeader(path), basename(path));
}

/** The same from a header. */
export function factsOf(header: ModelHeader, file: string): GgufFacts {
  const architecture = textOf(header, 'general.architecture');
  if (!architecture || !/^[a-z0-9._-]{1,64}$/i.test(architecture)) {
    throw new ModelError(`${file} names no architecture; it is not a model that llama.cpp can load.`);
  }
  const type = textOf(header, 'general.type');
  if (type !== null && type !== 'model') {
    throw new ModelError(`${file} holds ${JSON.stringify(type.slice(0, 40))}, not a model.`);
  }
  // Older image encoders name no type.
  if (architecture === 'clip') throw new ModelError(`${file} is the image encoder of a model, not a model.`);
  const { size: tensorCount } = header.tensorNames;
  if (tensorCount === 0 || !header.arrayLengths.has('tokenizer.ggml.tokens')) {
    throw new ModelError(`${file} has no ${tensorCount === 0 ? 'weights' : 'tokeniser'}, so it cannot be served.`);
  }
  const pooling = numberOf(header, `${architecture}.pooling_type`);
  const template = textOf(header, 'tokenizer.chat_template') ?? '';
  return {
    architecture,
    name: textOf(header, 'general.name'),
    contextTokens: positiveOf(header, `${architecture}.context_length`),
    scaledContextTokens: scaledContextOf(header, architecture),
    dimensions:
      positiveOf(header, `${architecture}.embedding_length_out`) ??
      positiveOf(header, `${architecture}.embedding_length`),
    hasChatTemplate: template !== '',
    pooling: pooling === null ? null : (poolings[pooling] ?? null),
    hasClassifier: header.tensorNames.has('cls.weight') || header.tensorNames.has('cls.output.weight'),
    addsEndToken: flagOf(header, 'tokenizer.ggml.add_eos_token'),
    isCausal: flagOf(header, `${architecture}.attention.causal`),
    parameters: header.parameters,
    fileBytes: header.fileBytes,
    files: header.files,
  };
}

function flagOf({ values }: ModelHeader, key: string): boolean | null {
  const value = values.get(key);
  return typeof value === 'boolean' ? value : null;
}

/** Other kinds of scaling either name the scaled context as the model's, or do not say what they start from. */
function scaledContextOf(header: ModelHeader, architecture: string): number | null {
  if (textOf(header, `${architecture}.rope.scaling.type`) !== 'yarn') return null;
  const original = positiveOf(header, `${architecture}.rope.scaling.original_context_length`);
  const factor = numberOf(header, `${architecture}.rope.scaling.factor`);
  return original === null || factor === null || !(factor > 0) ? null : Math.floor(original * factor);
}

/** The longest context that a model was made for; null: the file does not say. */
export function supportedContextOf({ contextTokens, scaledContextTokens }: GgufFacts): number | null {
  return scaledContextTokens ?? contextTokens;
}

/** What a model is for, as its file tells: one that pools makes vectors, also where it has a chat template. */
export function kindOfFile(facts: GgufFacts): ModelKind {
  const { pooling, isCausal, hasChatTemplate } = facts;
  if (isReranker(facts)) return 'reranker';
  if (pooling === 'mean' || pooling === 'cls' || pooling === 'last') return 'embedding';
  if (isCausal === false && !hasChatTemplate) return 'embedding';
  return 'text';
}

/**
 * Checks that a file can serve as `kind`. Throws `ModelError` when it cannot; returns one line for each thing that
 * works but probably not as wished.
 */
export function checkServable(facts: GgufFacts, kind: ModelKind, file: string): string[] {
  return checks[kind](facts, file);
}

const checks: Readonly<Record<ModelKind, (facts: GgufFacts, file: string) => string[]>> = {
  text: checkText,
  embedding: checkEmbedding,
  reranker: checkReranker,
};

function checkText(facts: GgufFacts, file: string): string[] {
  if (isReranker(facts)) throw needsKindReranker(file);
  if (facts.hasChatTemplate) return [];
  throw new ModelError(`${file} has no chat template, so it cannot chat; take an instruction-tuned model.`);
}

const isReranker = ({ pooling, hasClassifier }: GgufFacts) => pooling === 'rank' || hasClassifier;

function needsKindReranker(file: string): ModelError {
  const what = `${file} is a reranker: it scores pairs of texts and makes no text and no vectors.`;
  return new ModelError(`${what} Add it with --kind reranker.`, { inRequest: `${what} Choose the kind reranker.` });
}

function checkReranker(facts: GgufFacts, file: string): string[] {
  if (facts.hasClassifier) return [];
  const reason = 'has no classification head (cls.weight or cls.output.weight), so it scores no pairs';
  throw new ModelError(`${file} ${reason}${isReranker(facts) ? '; take another conversion' : ': it is no reranker'}.`);
}

function checkEmbedding(facts: GgufFacts, file: string): string[] {
  if (facts.dimensions === null) throw new ModelError(`${file} does not say how long its vectors are.`);
  if (isReranker(facts)) throw needsKindReranker(file);
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
