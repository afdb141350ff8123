import type { Attributes } from '@opentelemetry/api';
import type { CallEnd, ObservedCall } from '#inference';

/** `gen_ai.operation.name` of our operations; what generates is a chat. */
const operationNames: Record<string, string> = {
  'chat.create': 'chat',
  'completions.create': 'text_completion',
  'embeddings.create': 'embeddings',
};

const operationName = ({ operation, sampling }: ObservedCall): string =>
  operationNames[operation] ?? (sampling === null ? 'embeddings' : 'chat');

/** As the GenAI conventions name spans. */
export const spanName = (call: ObservedCall): string => `${operationName(call)} ${call.modelRequested}`;

/** What is known before the model runs, in the words of the GenAI conventions. Prompts and stop texts are not told. */
export function callAttributes(call: ObservedCall): Attributes {
  const { sampling } = call;
  return {
    'gen_ai.operation.name': operationName(call),
    'gen_ai.provider.name': 'fanfold',
    'gen_ai.request.model': call.modelRequested,
    'fanfold.account_id': call.accountId,
    'fanfold.project_id': call.projectId,
    ...(sampling === null
      ? {}
      : {
          ...(sampling.maxTokens === null ? {} : { 'gen_ai.request.max_tokens': sampling.maxTokens }),
          ...(sampling.topK == null ? {} : { 'gen_ai.request.top_k': sampling.topK }),
          'gen_ai.request.temperature': sampling.temperature,
          'gen_ai.request.top_p': sampling.topP,
          'gen_ai.request.presence_penalty': sampling.presencePenalty,
          'gen_ai.request.frequency_penalty': sampling.frequencyPenalty,
          'gen_ai.request.stream': call.streams,
          ...(sampling.seed === null ? {} : { 'gen_ai.request.seed': sampling.seed }),
        }),
    'gen_ai.response.model': call.modelServed,
  };
}

export function endAttributes(end: CallEnd): Attributes {
  if (end.kind === 'failed') return { 'error.type': end.outcome };
  const { usage, activeMs, finishReason, outcome } = end;
  return {
    'gen_ai.usage.input_tokens': usage.promptTokens,
    'gen_ai.usage.output_tokens': usage.completionTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cachedTokens,
    'gen_ai.usage.reasoning.output_tokens': usage.reasoningTokens,
    ...(finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [finishReason] }),
    'fanfold.active_ms': activeMs,
    'fanfold.outcome': outcome,
  };
}
