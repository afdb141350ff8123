import type { TemplateCapabilities } from '#engine';
import type { Micro } from '#kernel';
import type { ModelKind } from './model-kinds.ts';
import type { ModelSettings } from './model-settings.ts';

type ReasoningEffortName = 'none' | 'low' | 'high';

/** Where a catalogue entry's file comes from. `shipped` is relative to the folder of the catalogue. */
export type ModelSource = { type: 'shipped'; file: string } | HubSource;
export type HubSource = {
  type: 'hub';
  repo: string;
  revision: string;
  sizeBytes: number | null;
  sha256: string | null;
};

/** A model that hosted aliases, adapters and base-model calls stand on. */
export type BaseModel = {
  id: string;
  name: string;
  kind: ModelKind;
  parameters: number;
  /** SPDX id, or what the publisher names it; null: not known. */
  license: string | null;
  /** Most tokens of one call: prompt plus answer of a text model, one input of an embedding model, one pair of a reranker. */
  maxContextTokens: number;
  /** Vector size; null unless it embeds. */
  dimensions: number | null;
  /** Longest input in tokens, end token included, of a reranker query and document together; null for text models. */
  maxInputTokens: number | null;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  /** Put in front of embedding inputs of type `query`, and of no others (`withQueryInstruction`). */
  queryInstruction: string | null;
  /** Values of `reasoning_effort` that change what the model does; empty: it has no reasoning. */
  reasoningEfforts: readonly ReasoningEffortName[];
  /** Whether the chat template knows tools. */
  tools: boolean;
  /** Several calls in one answer; left out: where there are tools at all. */
  parallelToolCalls?: boolean;
  /** Why a capability is missing, by the name that the wire has for it; left out: nobody looked. */
  missing?: TemplateCapabilities['missing'];
  /** null: added from a file that was here. */
  source: ModelSource | null;
  installed: { ggufPath: string; sha256: string } | null;
  /** How it is loaded; null or left out: as the catalogue and the server say. */
  settings?: ModelSettings | null;
  isRemote?: boolean;
  /** A serving route reads images. */
  hasVision?: boolean;
  created: Date;
};

/**
 * What a chat request means where it is silent (interface 4.2), in the words of the wire: published by the catalogue
 * and used by the routes, so that both always agree.
 */
export const chatDefaults = {
  max_tokens: 1024,
  temperature: 1.0,
  top_p: 1.0,
  reasoning_effort: null,
  stream: false,
} as const;

/** Limits of embedding requests on models that were not trained for longer inputs (interface 8.1). */
export const embeddingLimits = { maxInputTokens: 512, maxInputs: 2, requestTokenBudget: 512 } as const;

/** Limits of a rerank request. One pair, of the query and a document, may fill the context of the model. */
export const rerankLimits = { usualContextTokens: 2_048, maxDocuments: 100, requestTokenBudget: 16_384 } as const;

/** The context of a model for which none is given, tokens, as far as there is memory: what it supports, or what its inputs need. */
export function usualContextOf(kind: ModelKind, supported: number): number {
  if (kind === 'text') return supported;
  return Math.min(kind === 'reranker' ? rerankLimits.usualContextTokens : embeddingLimits.maxInputTokens, supported);
}

/** The longest input of a model of this context, tokens. */
export function maxInputTokensOf(kind: ModelKind, maxContextTokens: number): number | null {
  if (kind === 'text') return null;
  return kind === 'reranker' ? maxContextTokens : Math.min(embeddingLimits.maxInputTokens, maxContextTokens);
}

/** Ids of base models, which name folders too. Every one could be an alias, so that both can stand in `model`. */
export const modelIdPattern = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/**
 * Text to embed for a query. An instruction with `{query}` in it is a template; any other is a task description and
 * takes the form that Qwen3-Embedding was trained with.
 */
export function withQueryInstruction(instruction: string | null, query: string): string {
  if (instruction === null) return query;
  const at = instruction.indexOf('{query}');
  if (at < 0) return `Instruct: ${instruction}\nQuery:${query}`;
  return instruction.slice(0, at) + query + instruction.slice(at + '{query}'.length);
}
