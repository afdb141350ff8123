import type { FastifyReply } from 'fastify';
import type { Finished, Usage } from '#engine';
import { type Caller, eventData, openAiErrors, openSse } from '#http';
import {
  type AssistantMessage,
  assistantMessage,
  type CollectedAnswer,
  type NamedDelta,
  wireId,
} from '../../collected-answer.ts';
import type { Protocol, StreamWriter, TextCall } from '../../protocol.ts';
import { type LogprobsWire, logprobsToWire } from '../openai/logprobs.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { modelsRoutes } from './models.routes.ts';

/** POST P/chat/completions, JSON and SSE. */
export const chatCall: TextCall<ChatRequest> = {
  kind: 'text',
  path: '/openai/v1/chat/completions',
  operation: 'chat.create',
  contract: chatContract,
  exact: ['tools', 'response_format'],
  read: readChatRequest,
  answer({ model, includeUsage }, { nowMs }) {
    const head = { id: wireId('chatcmpl-'), created: Math.floor(nowMs / 1000), model };
    return {
      callIdPrefix: 'call_',
      collect: (answer, finished) => chatCompletion(head, answer, finished),
      stream: () => writeStream(head, includeUsage),
    };
  },
  // as: only `collect` makes what is kept of this call.
  replay: (kept, { includeUsage }) => framesOfCompletion(kept as ChatCompletion, includeUsage),
};

/** Role, deltas, finish, usage if asked, `[DONE]`; or an error frame and no `[DONE]`. */
function writeStream(head: AnswerHead, includeUsage: boolean): StreamWriter {
  const frames = createFrames(head, includeUsage);
  let begun = 0;
  /** The role, where this is the first frame of a choice. */
  const begin = (choice: number): string => {
    if (choice < begun) return '';
    begun = choice + 1;
    return frames.role(choice);
  };
  return {
    begin: () => begin(0),
    delta: (delta) => begin(delta.choice ?? 0) + frames.delta(delta),
    end({ usage, ...finished }) {
      const counts = includeUsage ? frames.usage(usageToWire(usage)) : '';
      const ends = (finished.choices ?? [finished]).map(
        ({ reason }, index) => begin(index) + frames.finish(reason, index),
      );
      return ends.join('') + counts + frames.done;
    },
    fail: (problem, requestId) => `data: ${openAiErrors.render(problem, requestId)}\n\n`,
  };
}

/** Streams an answer again that was kept, with its usage. */
export function repeatChatStream(
  kept: object,
  { reply, caller }: { reply: FastifyReply; caller: Caller },
): FastifyReply {
  // as: only `collect` makes what is kept of this call.
  openSse({ reply, caller }).end(framesOfCompletion(kept as ChatCompletion, true));
  return reply;
}

/** What every frame and body of one answer repeats. */
export type AnswerHead = { id: string; created: number; model: string };

/** The body of a chat completion (interface 2.2). */
export function chatCompletion(head: AnswerHead, answer: CollectedAnswer, finished: Finished) {
  const choices = (finished.choices ?? [finished]).map(({ reason }, index) => {
    const choice = answer.choice(index);
    const { logprobs } = choice;
    return {
      index,
      message: assistantMessage(choice),
      logprobs: logprobs && logprobsToWire(logprobs),
      finish_reason: reason,
    };
  });
  return {
    id: head.id,
    object: 'chat.completion',
    created: head.created,
    model: head.model,
    choices,
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
  const chunk = (index: number, delta: string, finishReason: string, logprobs = 'null') =>
    `${start}{"index":${index},"delta":${delta},"logprobs":${logprobs},"finish_reason":${finishReason}}${end}`;
  return {
    role: (index = 0) => chunk(index, '{"role":"assistant","content":""}', 'null'),
    delta(delta: NamedDelta): string {
      const { choice: index = 0 } = delta;
      switch (delta.type) {
        case 'content':
          return chunk(
            index,
            `{"content":${eventData(delta.text)}}`,
            'null',
            delta.logprobs && eventData(logprobsToWire(delta.logprobs)),
          );
        case 'reasoning':
          return chunk(index, `{"reasoning_content":${eventData(delta.text)}}`, 'null');
        case 'tool_call':
          return toolCallDeltas(delta)
            .map((json) => chunk(index, json, 'null'))
            .join('');
      }
    },
    finish: (reason: string, index = 0) => chunk(index, '{}', JSON.stringify(reason)),
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
  const texts: string[] = [];
  for (const { index, message, logprobs, finish_reason: reason } of choices) {
    const deltas = deltasOf(message, logprobs).map((delta) => frames.delta({ ...delta, choice: index }));
    texts.push(frames.role(index), ...deltas, frames.finish(reason, index));
  }
  if (includeUsage) texts.push(frames.usage(usage));
  return texts.join('') + frames.done;
}

function deltasOf(
  { content, reasoning_content: reasoning, tool_calls: calls = [] }: AssistantMessage,
  logprobs: LogprobsWire | null,
): NamedDelta[] {
  const tokens = logprobs?.content.map(({ top_logprobs: top, ...token }) => ({ ...token, top }));
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(content ? [{ type: 'content' as const, text: content, ...(tokens && { logprobs: tokens }) }] : []),
    ...calls.map(({ id, function: { name, arguments: args } }, index) => {
      return { type: 'tool_call' as const, index, name, arguments: args, callId: id };
    }),
  ];
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

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  errors: openAiErrors,
  calls: [chatCall],
  routes: modelsRoutes,
};
