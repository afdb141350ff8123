import { StartupAdapters } from '../adapters/startup-adapters.ts';
import { type EngineDialect, postForJson, templateReasoning, tokenCountIn, tokensIn } from '../dialect.ts';
import { fieldsOf, samplingNames } from '../wire.ts';
import { openai } from './openai.ts';

export const llamaServer: EngineDialect = {
  ...openai,
  // A request that met the end of its connection would be lost, and nobody could tell whether it had run.
  closesAfterStream: true,
  samplingNames: { ...samplingNames, repetitionPenalty: 'repeat_penalty' },
  // Its slots are shared by all callers: cached prefixes of one account must not show in the timing of another's calls.
  chatFields: ({ sampling: { repetitionPenalty = 1 } }) => ({
    cache_prompt: false,
    // It would count the last 64 tokens only.
    ...(repetitionPenalty === 1 ? {} : { repeat_last_n: -1 }),
  }),
  reasoningFields: templateReasoning,
  reasoningLimit: { fields: (maxTokens) => ({ thinking_budget_tokens: maxTokens }), mustProbe: false },
  async countPrompt({ fields, upstream, signal }) {
    const request = { upstream, signal };
    const { prompt } = fieldsOf(await postForJson(request, '//apply-template', fields));
    if (typeof prompt !== 'string') return null;
    const body = { content: prompt, add_special: true, parse_special: true };
    return tokenCountIn(await postForJson(request, '//tokenize', body));
  },
  countTexts: {
    batchSize: 1,
    async count({ texts: [text = ''], upstream, signal }) {
      const body = { content: text, add_special: true };
      const count = tokenCountIn(await postForJson({ upstream, signal }, '//tokenize', body));
      return count === null ? null : [count];
    },
  },
  tokens: {
    async ofText({ text, addSpecialTokens, upstream, signal }) {
      const body = { content: text, add_special: addSpecialTokens };
      return tokensIn(await postForJson({ upstream, signal }, '//tokenize', body));
    },
    async ofChat({ fields, prompt: { addsGenerationPrompt = true }, upstream, signal }) {
      const request = { upstream, signal };
      const rendered = { ...fields, add_generation_prompt: addsGenerationPrompt };
      const { prompt } = fieldsOf(await postForJson(request, '//apply-template', rendered));
      if (typeof prompt !== 'string') return null;
      const body = { content: prompt, add_special: true, parse_special: true };
      return tokensIn(await postForJson(request, '//tokenize', body));
    },
    async textOf({ tokens, upstream, signal }) {
      const { content } = fieldsOf(await postForJson({ upstream, signal }, '//detokenize', { tokens }));
      return typeof content === 'string' ? content : null;
    },
  },
  adapters: {
    open: (options) => new StartupAdapters(options),
    serveEmbeddings: false,
    isNotLoaded: null,
  },
  answer: { reasoning: ['reasoning_content'], stopText: [] },
};
