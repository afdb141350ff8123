import { type EngineDialect, postForJson, tokensIn } from '../dialect.ts';
import { fieldsOf } from '../wire.ts';
import { openai } from './openai.ts';

export const tei: EngineDialect = {
  ...openai,
  healthPath: '//health',
  closesAfterStream: false,
  countTexts: {
    // The limit of a request unless it was started with another one.
    batchSize: 32,
    async count({ texts, upstream, signal }) {
      const body = { inputs: texts, add_special_tokens: true };
      const rows = await postForJson({ upstream, signal }, '//tokenize', body);
      return Array.isArray(rows) ? rows.map((tokens: unknown) => (Array.isArray(tokens) ? tokens.length : 0)) : null;
    },
  },
  tokens: {
    async ofText({ text, addSpecialTokens, upstream, signal }) {
      const body = { inputs: [text], add_special_tokens: addSpecialTokens };
      const rows = await postForJson({ upstream, signal }, '//tokenize', body);
      const row: unknown = Array.isArray(rows) ? rows[0] : null;
      return tokensIn({ tokens: Array.isArray(row) ? row.map((token) => fieldsOf(token).id) : null });
    },
    // It serves no model that chats.
    ofChat: async () => null,
    async textOf({ tokens, upstream, signal }) {
      const texts = await postForJson({ upstream, signal }, '//decode', { ids: [tokens], skip_special_tokens: false });
      const text: unknown = Array.isArray(texts) ? texts[0] : null;
      return typeof text === 'string' ? text : null;
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
