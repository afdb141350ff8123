import type { EngineDialect } from '../dialect.ts';

/**
 * Anything that speaks OpenAI's routes. It is sent nothing beyond them, as OpenAI's own servers refuse fields that they do not know; its
 * answers are read in all forms that are in use. The base of the other dialects.
 */
export const openai: EngineDialect = {
  healthPath: '/models',
  closesAfterStream: /llama\.cpp/,
  samplingNames: null,
  chatFields: null,
  reasoningFields: (effort) => ({ reasoning_effort: effort }),
  reasoningLimit: null,
  tool: (tool) => tool,
  countPrompt: null,
  countTexts: null,
  tokens: null,
  embeddingRequest: (model, { texts }) => ({
    path: '/embeddings',
    body: { model, input: texts, encoding_format: 'float' },
  }),
  // Not one of OpenAI's routes; vLLM, SGLang and llama.cpp's server have it, in the form of Jina.
  rerankRequest: (model, { query, texts }) => ({ path: '/rerank', body: { model, query, documents: texts } }),
  truncatesInputs: false,
  adapters: null,
  answer: {
    // Engines that write it twice write the same.
    reasoning: ['reasoning_content', 'reasoning', 'thinking', 'reasoning_text', 'reasoning_details'],
    stopText: ['stop_reason', 'matched_stop'],
  },
  errors: {
    contextExceeded:
      /context length|context size|exceeds the available|maximum.*tokens|too long|longer than|too large to process/i,
    // LM Studio and routers of engines say so with 400.
    modelMissing: /\bno models? (is |are )?(currently )?loaded|\bmodel\b.{0,200}\b(not found|not loaded|unloaded)/i,
    modelLoading: /loading|model_warming|starting/i,
  },
};
