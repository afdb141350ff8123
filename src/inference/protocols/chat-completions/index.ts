import type { FastifyReply } from 'fastify';
import { type Caller, openAiErrors, openSse } from '#http';
import type { Fault } from '#kernel';
import { wireId } from '../../collected-answer.ts';
import type { Protocol, StreamWriter, TextCall } from '../../protocol.ts';
import { usageToWire } from '../openai/usage-wire.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat-request.ts';
import { type AnswerHead, type ChatCompletion, chatCompletion, createFrames, framesOfCompletion } from './chat-wire.ts';
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
  return {
    begin: frames.role,
    delta: frames.delta,
    end({ reason, usage }) {
      const counts = includeUsage ? frames.usage(usageToWire(usage)) : '';
      return frames.finish(reason) + counts + frames.done;
    },
    fail: (problem: Fault, requestId) => `data: ${openAiErrors.render(problem, requestId)}\n\n`,
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

export const chatCompletions: Protocol = {
  name: 'chat-completions',
  errors: openAiErrors,
  calls: [chatCall],
  routes: modelsRoutes,
};
