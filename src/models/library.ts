import type { Static } from 'typebox';
import { Check } from 'typebox/schema';
import { isFields, type Micro } from '#kernel';
import { type BaseModel, maxInputTokensOf } from './base-model.ts';
import { firstProblem, LibraryEmbeddingEntry, LibraryRerankerEntry, LibraryTextEntry } from './catalogue-form.ts';
import { ModelError } from './model-error.ts';

/** A model of a hub that is known by an id: what is said of it before it is pulled. Its file says the rest. */
export type LibraryEntry = Pick<
  BaseModel,
  | 'id'
  | 'name'
  | 'kind'
  | 'parameters'
  | 'maxContextTokens'
  | 'dimensions'
  | 'queryInstruction'
  | 'reasoningEfforts'
  | 'tools'
> & { license: string; repo: string };

export function parseLibraryEntry(raw: unknown, label: string): LibraryEntry {
  const kind = isFields(raw) ? raw.kind : undefined;
  if (kind === 'text') {
    if (!Check(LibraryTextEntry, raw)) throw new ModelError(`${label}: ${firstProblem(LibraryTextEntry, raw)}`);
    const { reasoning_efforts: reasoningEfforts, tools } = raw;
    return { ...sharedFields(raw), kind, dimensions: null, queryInstruction: null, reasoningEfforts, tools };
  }
  if (kind === 'embedding') {
    if (!Check(LibraryEmbeddingEntry, raw))
      throw new ModelError(`${label}: ${firstProblem(LibraryEmbeddingEntry, raw)}`);
    const { dimensions, query_instruction: queryInstruction } = raw;
    return { ...sharedFields(raw), kind, dimensions, queryInstruction, reasoningEfforts: [], tools: false };
  }
  if (kind === 'reranker') {
    if (!Check(LibraryRerankerEntry, raw)) throw new ModelError(`${label}: ${firstProblem(LibraryRerankerEntry, raw)}`);
    const nothing = { dimensions: null, queryInstruction: null, reasoningEfforts: [], tools: false };
    return { ...sharedFields(raw), kind, ...nothing };
  }
  throw new ModelError(`${label}: kind must be text, embedding or reranker`);
}

type RawLibraryEntry = Static<typeof LibraryTextEntry | typeof LibraryEmbeddingEntry | typeof LibraryRerankerEntry>;

function sharedFields(raw: RawLibraryEntry) {
  const { id, name, parameters, license, max_context_tokens: maxContextTokens, repo } = raw;
  return { id, name, parameters, license, maxContextTokens, repo };
}

/** An entry as the base model that it would be; nothing of it is installed. */
export function baseModelOf(
  { repo, ...entry }: LibraryEntry,
  { priceVersion, pricesSince, rate }: { priceVersion: string; pricesSince: Date; rate: Micro },
): BaseModel {
  return {
    ...entry,
    maxInputTokens: maxInputTokensOf(entry.kind, entry.maxContextTokens),
    rateMicroPerMinute: rate,
    priceVersion,
    source: { type: 'hub', repo, revision: 'main', sizeBytes: null, sha256: null },
    installed: null,
    created: pricesSince,
  };
}
