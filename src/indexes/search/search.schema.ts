import Type, { type Static } from 'typebox';
import { creditsText, nullable } from '#http';
import { formatCredits, type Micro } from '#kernel';
import type { EmbeddingUsage } from '../paid-run.ts';
import type { SearchResult } from './search-index.ts';

export const searchBody = Type.Object({
  query: Type.String({
    description: 'What is searched for. It gets the query instruction of the model.',
    minLength: 1,
    maxLength: 32_000,
  }),
  top_k: Type.Optional(Type.Integer({ description: 'Results at most.', minimum: 1, maximum: 50, default: 10 })),
});

export const usageSchema = Type.Object(
  {
    prompt_tokens: Type.Integer({ description: 'Tokens of the texts.', minimum: 0 }),
    total_tokens: Type.Integer({ description: 'The same.', minimum: 0 }),
  },
  { description: 'Tokens that were embedded.' },
);

export const documentId = nullable(Type.String(), 'Your name for the document.');
export const score = Type.Number({ description: 'Cosine of query and text.' });

export const foundSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      rank: Type.Integer({ description: '1 for the nearest.', minimum: 1 }),
      document_id: documentId,
      text: Type.String({ description: 'The text.' }),
      score,
    }),
    { description: 'The nearest of all documents, compared one by one.' },
  ),
  model_revision: nullable(Type.Integer(), 'As of the index.'),
  usage: usageSchema,
  credits: creditsText('What this search cost.'),
});

export function foundToWire(
  results: readonly SearchResult[],
  { modelRevision, spent, micro }: { modelRevision: number | null; spent: EmbeddingUsage; micro: Micro },
): Static<typeof foundSchema> {
  return {
    results: results.map(({ rank, documentId: id, text, score: cosine }) => ({
      rank,
      document_id: id,
      text,
      score: cosine,
    })),
    model_revision: modelRevision,
    usage: usageToWire(spent),
    credits: formatCredits(micro),
  };
}

export function usageToWire({ promptTokens }: EmbeddingUsage): Static<typeof usageSchema> {
  return { prompt_tokens: promptTokens, total_tokens: promptTokens };
}
