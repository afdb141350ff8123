import { type EngineDialect, postForJson } from '../dialect.ts';
import { openai } from './openai.ts';

export const tei: EngineDialect = {
  ...openai,
  healthPath: '//health',
  closesAfterStream: () => false,
  countTexts: {
    // The limit of a request unless it was started with another one.
    batchSize: 32,
    async count({ texts, upstream, signal }) {
      const body = { inputs: texts, add_special_tokens: true };
      const rows = await postForJson({ upstream, signal }, '//tokenize', body);
      return Array.isArray(rows) ? rows.map((tokens: unknown) => (Array.isArray(tokens) ? tokens.length : 0)) : null;
    },
  },
  embeddingRequest: (_model, { texts, truncate }) => ({
    path: '//embed',
    body: { inputs: texts, truncate, normalize: true },
  }),
  rerankRequest: (_model, { query, texts, truncate }) => ({ path: '//rerank', body: { query, texts, truncate } }),
  truncatesInputs: true,
  errors: { ...openai.errors, contextExceeded: /must have less than \d+ tokens/i },
};
