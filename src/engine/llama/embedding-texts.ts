import type { EmbeddingInputs } from '../port.ts';

/** Texts to embed, or documents for a query. */
export type EmbeddingTexts = Pick<
  EmbeddingInputs,
  'texts' | 'query' | 'maxInputTokens' | 'maxDocumentTokens' | 'truncate'
>;

export function embeddingTexts(inputs: EmbeddingTexts): EmbeddingTexts {
  const { texts, query, maxInputTokens, maxDocumentTokens, truncate } = inputs;
  return {
    texts,
    maxInputTokens,
    truncate,
    ...(query === undefined ? {} : { query }),
    ...(maxDocumentTokens === undefined ? {} : { maxDocumentTokens }),
  };
}

/** The field that the texts came in. */
export const inputParam = ({ query }: Pick<EmbeddingInputs, 'query'>) => (query === undefined ? 'input' : 'documents');
