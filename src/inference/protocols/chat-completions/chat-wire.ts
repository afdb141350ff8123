import type { Finished } from '#engine';
import { eventData } from '#http';
import type { CollectedAnswer, NamedDelta } from '../../collected-answer.ts';
import { type AssistantMessage, assistantMessage } from '../../collected-answer.ts';
import { type UsageWire, usageToWire } from '../openai/usage-wire.ts';

/** What every frame and body of one answer repeats. */
export type AnswerHead = { id: string; created: number; model: string };

/** The body of a chat completion (interface 2.2). */
export function chatCompletion(head: AnswerHead, answer: CollectedAnswer, finished: Finished) {
  const choice = { index: 0, message: assistantMessage(answer), logprobs: null, finish_reason: finished.reason };
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

/**
 * Makes the frames of one streamed answer. The invariant parts are rendered once per answer, because a frame is made for
 * every token.
 */
export function createFrames(head: AnswerHead, includeUsage: boolean) {
  const start = `data: {"id":${JSON.stringify(head.id)},"object":"chat.completion.chunk","created":${head.created},"model":${JSON.stringify(head.model)},"choices":[`;
  const end = includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  const chunk = (delta: string, finishReason: string) =>
    `${start}{"index":0,"delta":${delta},"logprobs":null,"finish_reason":${finishReason}}${end}`;
  return {
    role: () => chunk('{"role":"assistant","content":""}', 'null'),
    delta(delta: NamedDelta): string {
      switch (delta.type) {
        case 'content':
          return chunk(`{"content":${eventData(delta.text)}}`, 'null');
        case 'reasoning':
          return chunk(`{"reasoning_content":${eventData(delta.text)}}`, 'null');
        case 'tool_call':
          return toolCallDeltas(delta)
            .map((json) => chunk(json, 'null'))
            .join('');
      }
    },
    finish: (reason: string) => chunk('{}', JSON.stringify(reason)),
    usage: (usage: UsageWire) => `${start}],"usage":${JSON.stringify(usage)}}\n\n`,
    done: 'data: [DONE]\n\n',
  };
}

/** Two deltas a call: the first names it, the second carries its arguments; the id and name are never repeated. */
function toolCallDeltas(delta: Extract<NamedDelta, { type: 'tool_call' }>): string[] {
  const { index, name, arguments: args, callId } = delta;
  const opening = { index, id: callId, type: 'function', function: { name, arguments: '' } };
  return [opening, { index, function: { arguments: args } }].map((call) => eventData({ tool_calls: [call] }));
}

/** The frames of an answer that is complete: the same as when it was streamed, in fewer pieces. */
export function framesOfCompletion({ choices, usage, ...head }: ChatCompletion, includeUsage: boolean): string {
  const frames = createFrames(head, includeUsage);
  const texts = [frames.role()];
  for (const { message, finish_reason: reason } of choices) {
    texts.push(...deltasOf(message).map(frames.delta), frames.finish(reason));
  }
  if (includeUsage) texts.push(frames.usage(usage));
  return texts.join('') + frames.done;
}

function deltasOf({ content, reasoning_content: reasoning, tool_calls: calls = [] }: AssistantMessage): NamedDelta[] {
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(content ? [{ type: 'content' as const, text: content }] : []),
    ...calls.map(({ id, function: { name, arguments: args } }, index) => {
      return { type: 'tool_call' as const, index, name, arguments: args, callId: id };
    }),
  ];
}
