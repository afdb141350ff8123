import { createHash } from 'node:crypto';
import type { ChatPrompt, ReasoningEffort, ResponseFormat, Sampling } from '../port.ts';
import { messageToWire, toolChoiceToWire, toolToWire } from '../wire-prompt.ts';
import type { RemoteApi, ServingRoute } from './serving-route.ts';

/** The body of `POST /chat/completions`. Only what the caller chose is sent: the engine has defaults of its own for the rest. */
export function chatBody(
  route: Pick<ServingRoute, 'api' | 'upstreamModel'>,
  prompt: ChatPrompt,
  { sampling, cacheScope, streams }: { sampling: Sampling; cacheScope: string; streams: boolean },
): Record<string, unknown> {
  const { tools, responseFormat, reasoningEffort, toolChoice, parallelToolCalls } = prompt;
  return {
    model: route.upstreamModel,
    messages: prompt.messages.map(messageToWire),
    ...(streams ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(Number.isFinite(sampling.maxTokens) ? { max_tokens: sampling.maxTokens } : {}),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    ...topKOf(route.api, sampling.topK ?? null),
    ...(sampling.presencePenalty === 0 ? {} : { presence_penalty: sampling.presencePenalty }),
    ...(sampling.frequencyPenalty === 0 ? {} : { frequency_penalty: sampling.frequencyPenalty }),
    ...(sampling.seed === null ? {} : { seed: sampling.seed }),
    ...(sampling.stop.length === 0 ? {} : { stop: sampling.stop }),
    ...(tools.length === 0
      ? {}
      : {
          tools: toolsOf(route.api, prompt),
          tool_choice: toolChoiceToWire(toolChoice),
          ...(parallelToolCalls ? {} : { parallel_tool_calls: false }),
        }),
    ...formatOf(responseFormat),
    ...reasoningOf(route.api, reasoningEffort),
    ...isolationOf(route.api, cacheScope),
  };
}

/** The tools as they are sent, for whoever counts their tokens, too. */
export function toolsOf(api: RemoteApi, { tools, toolChoice: { mode } }: Pick<ChatPrompt, 'tools' | 'toolChoice'>) {
  // SGLang takes any JSON for the arguments of a call that it forces, unless the tool is strict.
  const strict = api === 'sglang' && (mode === 'required' || mode === 'named') ? { strict: true } : {};
  return tools.map((tool) => toolToWire({ ...tool, ...strict }));
}

function formatOf(format: ResponseFormat): Record<string, unknown> {
  if (format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const json_schema = { name: 'answer', schema: format.schema, strict: true };
  return { response_format: { type: 'json_schema', json_schema } };
}

/** OpenAI's own routes have no such field, and refuse what they do not know. */
function topKOf(api: RemoteApi, topK: number | null): Record<string, unknown> {
  const isKnown = api === 'vllm' || api === 'sglang' || api === 'llama-server';
  return topK !== null && isKnown ? { top_k: topK } : {};
}

/** Engines that render the template themselves turn reasoning off with a variable of it (as Qwen3's card has it). */
export function reasoningOf(api: RemoteApi, effort: ReasoningEffort): Record<string, unknown> {
  if (effort === null) return {};
  if (api === 'openai') return { reasoning_effort: effort };
  if (effort === 'none') return { chat_template_kwargs: { enable_thinking: false } };
  return { reasoning_effort: effort, chat_template_kwargs: { enable_thinking: true } };
}

/** Cached prefixes of one account must not show in the timing of another's calls. */
function isolationOf(api: RemoteApi, cacheScope: string): Record<string, unknown> {
  if (api === 'vllm' || api === 'sglang')
    return { cache_salt: createHash('sha256').update(cacheScope).digest('base64url') };
  // It shares slots between all callers.
  if (api === 'llama-server') return { cache_prompt: false };
  return {};
}
