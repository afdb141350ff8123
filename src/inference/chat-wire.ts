import type { Delta, Finished, Usage } from '#engine';
import { randomPage } from '#kernel';

const alphanumerics = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** What every frame and body of one answer repeats. */
export type AnswerHead = { id: string; created: number; model: string };

type WireCall = { id: string; type: 'function'; function: { name: string; arguments: string } };

/** Makes a random id such as `chatcmpl-` or `call_` with 24 alphanumerics behind it. */
export function wireId(prefix: 'chatcmpl-' | 'cmpl-' | 'call_'): string {
  let id: string = prefix;
  // Bytes above 248 = 4 x 62 are left out: they would make the first letters more likely.
  while (id.length < prefix.length + 24) {
    for (const byte of randomPage(32)) if (byte < 248 && id.length < prefix.length + 24) id += alphanumerics[byte % 62];
  }
  return id;
}

/** A delta whose tool call may have its id already: then everyone who renders it uses the same. */
export type NamedDelta = Delta & { callId?: string };

export function nameCall(delta: Delta): NamedDelta {
  return delta.type === 'tool_call' ? { ...delta, callId: wireId('call_') } : delta;
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

export type UsageWire = ReturnType<typeof usageToWire>;

/** Gathers the deltas of one answer for a reply that is not streamed. */
export function createCollector() {
  let content = '';
  let reasoning = '';
  const toolCalls: WireCall[] = [];
  return {
    add(delta: NamedDelta): void {
      if (delta.type === 'content') content += delta.text;
      else if (delta.type === 'reasoning') reasoning += delta.text;
      else
        toolCalls.push({
          id: delta.callId ?? wireId('call_'),
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

export type ChatCompletion = ReturnType<typeof chatCompletion>;

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
    delta(delta: NamedDelta): string[] {
      switch (delta.type) {
        case 'content':
          return [chunk(`{"content":${inOneLine(delta.text)}}`, 'null')];
        case 'reasoning':
          return [chunk(`{"reasoning_content":${inOneLine(delta.text)}}`, 'null')];
        case 'tool_call':
          return toolCallDeltas(delta).map((json) => chunk(json, 'null'));
      }
    },
    finish: (reason: string) => chunk('{}', JSON.stringify(reason)),
    usage: (usage: UsageWire) => `${start}],"usage":${JSON.stringify(usage)}}`,
  };
}

/** JSON leaves these as they are, and many who read a stream by lines, such as those of httpx, take them for the ends of lines. */
const lineEnds = /[\u0085\u2028\u2029]/g;

function inOneLine(value: unknown): string {
  const escaped = (end: string) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value).replace(lineEnds, escaped);
}

/** Two deltas a call: the first names it, the second carries its arguments; the id and name are never repeated. */
function toolCallDeltas(delta: Extract<NamedDelta, { type: 'tool_call' }>): string[] {
  const { index, name, arguments: args, callId = wireId('call_') } = delta;
  const opening = { index, id: callId, type: 'function', function: { name, arguments: '' } };
  return [opening, { index, function: { arguments: args } }].map((call) => inOneLine({ tool_calls: [call] }));
}

/** The frames of an answer that is complete: the same as when it was streamed, in fewer pieces. */
export function framesOfCompletion({ choices, usage, ...head }: ChatCompletion, includeUsage: boolean): string[] {
  const frames = createFrames(head, includeUsage);
  const texts = [frames.role()];
  for (const { message, finish_reason: reason } of choices) {
    for (const delta of deltasOf(message)) texts.push(...frames.delta(delta));
    texts.push(frames.finish(reason));
  }
  return includeUsage ? [...texts, frames.usage(usage)] : texts;
}

function deltasOf(message: ChatCompletion['choices'][number]['message']): NamedDelta[] {
  const { content, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(content ? [{ type: 'content' as const, text: content }] : []),
    ...calls.map(({ id, function: { name, arguments: args } }, index) => {
      return { type: 'tool_call' as const, index, name, arguments: args, callId: id };
    }),
  ];
}
