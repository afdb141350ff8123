import { RuntimeAdapters } from '../adapters/runtime-adapters.ts';
import { type EngineDialect, postForJson, tokenCountIn } from '../dialect.ts';
import { toolChoiceToWire } from '../wire.ts';
import { openai } from './openai.ts';
import { vllm } from './vllm.ts';

/** It has taken over vLLM's tokenise route and cache salt. */
export const sglang: EngineDialect = {
  ...vllm,
  // It ignores the limit unless it was started with --enable-strict-thinking.
  reasoningLimit: { fields: (maxTokens) => ({ custom_params: { thinking_budget: maxTokens } }), mustProbe: false },
  // It takes any JSON for the arguments of a call that it forces, unless the tool is strict.
  tool: (tool, { isForced }) => (isForced ? { ...tool, strict: true } : tool),
  /** It renders a prompt as it would run it; which tools the model sees depends on the choice. */
  async countPrompt({ prompt: { tools, toolChoice }, fields, model, ...request }) {
    const choice = tools.length === 0 ? {} : { tool_choice: toolChoiceToWire(toolChoice) };
    return tokenCountIn(await postForJson(request, '//tokenize', { model, ...fields, ...choice }));
  },
  embeddingRequest: openai.embeddingRequest,
  rerankRequest: openai.rerankRequest,
  truncatesInputs: false,
  adapters: {
    open: (options) =>
      new RuntimeAdapters(options, {
        loadPath: '//load_lora_adapter',
        unloadPath: '//unload_lora_adapter',
        callFields: (name) => ({ lora_path: name }),
        isFull: /max_loaded_loras|maximum number of (loaded )?(lora|adapter)/i,
      }),
    serveEmbeddings: false,
    isNotLoaded: /cannot be found|never been loaded|not loaded|implicitly load/i,
  },
  answer: { reasoning: ['reasoning_content'], stopText: ['matched_stop'] },
};
