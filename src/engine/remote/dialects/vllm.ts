import { createHash } from 'node:crypto';
import { RuntimeAdapters } from '../adapters/runtime-adapters.ts';
import { type EngineDialect, postForJson, templateReasoning, tokenCountIn, tokensIn } from '../dialect.ts';
import { fieldsOf, samplingNames } from '../wire.ts';
import { openai } from './openai.ts';

export const vllm: EngineDialect = {
  ...openai,
  closesAfterStream: false,
  samplingNames,
  chatFields: ({ cacheScope }) => ({
    // Cached prefixes of one account must not show in the timing of another's calls.
    cache_salt: createHash('sha256').update(cacheScope).digest('base64url'),
  }),
  reasoningFields: templateReasoning,
  // Started without a reasoning parser, it refuses every call with a limit.
  reasoningLimit: { fields: (maxTokens) => ({ thinking_token_budget: maxTokens }), mustProbe: true },
  countPrompt: async ({ fields, model, ...request }) =>
    tokenCountIn(await postForJson(request, '//tokenize', { model, ...fields, add_generation_prompt: true })),
  countTexts: {
    batchSize: 1,
    async count({ texts: [text = ''], model, ...request }) {
      const count = tokenCountIn(await postForJson(request, '//tokenize', { model, prompt: text }));
      return count === null ? null : [count];
    },
  },
  tokens: {
    ofText: async ({ text, addSpecialTokens, model, ...request }) => {
      const body = { model, prompt: text, add_special_tokens: addSpecialTokens };
      return tokensIn(await postForJson(request, '//tokenize', body));
    },
    ofChat: async ({ fields, prompt, model, ...request }) => {
      const body = { model, ...fields, add_generation_prompt: prompt.addsGenerationPrompt ?? true };
      return tokensIn(await postForJson(request, '//tokenize', body));
    },
    textOf: async ({ tokens, model, ...request }) => {
      const { prompt, text } = fieldsOf(await postForJson(request, '//detokenize', { model, tokens }));
      // SGLang calls it `text`.
      const found = prompt ?? text;
      return typeof found === 'string' ? found : null;
    },
  },
  embeddingRequest(model, inputs) {
    const { path, body } = openai.embeddingRequest(model, inputs);
    return { path, body: inputs.truncate ? { ...body, truncate_prompt_tokens: inputs.maxInputTokens } : body };
  },
  rerankRequest: (model, { query, texts, truncate, maxInputTokens }) => ({
    path: '/rerank',
    body: { model, query, documents: texts, ...(truncate ? { truncate_prompt_tokens: maxInputTokens } : {}) },
  }),
  truncatesInputs: true,
  adapters: {
    open: (options) =>
      new RuntimeAdapters(options, {
        loadPath: '/load_lora_adapter',
        unloadPath: '/unload_lora_adapter',
        callFields: (name) => ({ model: name }),
        isFull: /max_(cpu_)?loras\b|maximum number of (loaded )?(lora|adapter)|no (free|available) (lora )?slot/i,
      }),
    serveEmbeddings: true,
    isNotLoaded: /does not exist|not found|not loaded/i,
  },
  answer: { reasoning: ['reasoning', 'reasoning_content'], stopText: ['stop_reason'] },
};
