import type { Delta, Finished, Usage } from '#engine';
import { randomPage } from '#kernel';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What every frame and body of one answer repeats. */
export type AnswerHead = { id: string; created: number; model: string };

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/** Makes a random id such as `chatcmpl-` or `call_` with 24 alphanumerics behind it. */
export function wireId(prefix: 'chatcmpl-' | 'cmpl-' | 'call_'): string {
  let id: string = prefix;
  // 248 = 4 x 62: bytes above it would favour the first letters.
  while (id.length < prefix.length + 24) {
    for (const byte of randomPage(32)) if (byte < 248 && id.length < prefix.length + 24) id += alphanumerics[byte % 62];
  }
  return id;
}

/** Usage with the published flat counts and the nested copies that several clients read instead. */
export function usageToWire(usage: Usage) {
  return {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
    reasoning_tokens: usage.reasoningTokens,
    cached_tokens: usage.cachedTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}

/** Gathers the deltas of one answer for a reply that is not streamed. */
export function createCollector() {
  let content = '';
  let reasoning = '';
  const toolCalls: WireCall[] = [];
  return {
    add(delta: Delta): void {
      if (delta.type === 'content') content += delta.text;
      else if (delta.type === 'reasoning') reasoning += delta.text;
      else
        toolCalls.push({
          id: wireId('call_'),
          type: 'function',
          function: { name: delta.name, arguments: delta.arguments },
        });
    },
    text: () => content,
    message: () => ({
      role: 'assistant',
      content: toolCalls.length > 0 && content === '' ? null : content,
      refusal: null,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }),
    }),
  };
}

export type Collector = ReturnType<typeof createCollector>;

/** The body of a chat completion (interface 2.2). */
export function chatCompletion(head: AnswerHead, collector: Collector, finished: Finished) {
  const choice = { index: 0, message: collector.message(), logprobs: null, finish_reason: finished.reason };
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices: [choice],
    usage: usageToWire(finished.usage),
  };
}

/** The body of a legacy completion: visible text only; reasoning has no field here but is counted. */
export function textCompletion(head: AnswerHead, collector: Collector, finished: Finished) {
  const choice = { text: collector.text(), index: 0, logprobs: null, finish_reason: finished.reason };
  return {
    id: head.id,
    object: 'text_completion',
    created: head.created,
    model: head.model,
    choices: [choice],
    usage: usageToWire(finished.usage),
  };
}

/**
 * Makes the frames of one streamed answer, as JSON texts. The invariant parts are rendered once per answer, because a
 * frame is made for every token.
 */
export function createFrames(head: AnswerHead, includeUsage: boolean) {
  const start = `{"id":${JSON.stringify(head.id)},"object":"chat.completion.chunk","created":${head.created},"model":${JSON.stringify(head.model)},"choices":[`;
  const end = includeUsage ? '],"usage":null}' : ']}';
  const chunk = (delta: string, finishReason: string) =>
    `${start}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${end}`;
  return {
    role: () => chunk('{"role":"assistant","content":""}', 'null'),
    delta(delta: Delta): string[] {
      switch (delta.type) {
        case 'content':
          return [chunk(`{"content":${JSON.stringify(delta.text)}}`, 'null')];
        case 'reasoning':
          return [chunk(`{"reasoning_content":${JSON.stringify(delta.text)}}`, 'null')];
        case 'tool_call':
          return toolCallDeltas(delta).map((json) => chunk(json, 'null'));
      }
    },
    finish: (finished: Finished) => chunk('{}', JSON.stringify(finished.reason)),
    usage: (usage: Usage) => `${start}],"usage":${JSON.stringify(usageToWire(usage))}}`,
  };
}

/** Two deltas a call: the first names it, the second carries its arguments; the id and name are never repeated. */
function toolCallDeltas({ index, name, arguments: args }: Extract<Delta, { type: 'tool_call' }>): string[] {
  const opening = { index, id: wireId('call_'), type: 'function', function: { name, arguments: '' } };
  return [opening, { index, function: { arguments: args } }].map((call) => JSON.stringify({ tool_calls: [call] }));
}
