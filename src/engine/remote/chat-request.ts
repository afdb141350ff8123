import type { ChatPrompt, ResponseFormat, Sampling } from '../port.ts';
import { messageToWire, toolChoiceToWire, toolToWire } from '../wire-prompt.ts';
import type { EngineDialect } from './dialect.ts';
import type { Fields } from './json-fields.ts';

/** The body of `POST /chat/completions`. Only what the caller chose is sent: the engine has defaults of its own for the rest. */
export function chatBody(
  { dialect, model }: { dialect: EngineDialect; model: string },
  prompt: ChatPrompt,
  { sampling, cacheScope, streams }: { sampling: Sampling; cacheScope: string; streams: boolean },
): Fields {
  const { tools, toolChoice, parallelToolCalls } = prompt;
  return {
    model,
    ...promptFields(dialect, prompt),
    ...(streams ? { stream: true, stream_options: { include_usage: true } } : {}),
    ...(Number.isFinite(sampling.maxTokens) ? { max_tokens: sampling.maxTokens } : {}),
    temperature: sampling.temperature,
    top_p: sampling.topP,
    ...(sampling.presencePenalty === 0 ? {} : { presence_penalty: sampling.presencePenalty }),
    ...(sampling.frequencyPenalty === 0 ? {} : { frequency_penalty: sampling.frequencyPenalty }),
    ...(sampling.seed === null ? {} : { seed: sampling.seed }),
    ...(sampling.stop.length === 0 ? {} : { stop: sampling.stop }),
    ...(tools.length === 0 ? {} : { tool_choice: toolChoiceToWire(toolChoice) }),
    ...(tools.length === 0 || parallelToolCalls ? {} : { parallel_tool_calls: false }),
    ...formatField(prompt.responseFormat),
    ...dialect.chatFields({ sampling, cacheScope }),
  };
}

/** What decides about the tokens of a prompt: also sent to count them. */
export function promptFields(dialect: EngineDialect, prompt: ChatPrompt): Fields {
  const { messages, tools, toolChoice, reasoningEffort } = prompt;
  const isForced = toolChoice.mode === 'required' || toolChoice.mode === 'named';
  return {
    messages: messages.map(messageToWire),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => toolToWire(dialect.tool(tool, { isForced }))) }),
    ...(reasoningEffort === null ? {} : dialect.reasoningFields(reasoningEffort)),
  };
}

function formatField(format: ResponseFormat): Fields {
  if (format.type === 'text') return {};
  if (format.type === 'json_object') return { response_format: { type: 'json_object' } };
  const json_schema = { name: 'answer', schema: format.schema, strict: true };
  return { response_format: { type: 'json_schema', json_schema } };
}
