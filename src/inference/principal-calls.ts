import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPrincipalAdmission } from './admission.ts';
import { type AnswerFollower, answerText } from './answer-text.ts';
import type { InferenceDeps } from './deps.ts';
import { admitWithPrincipal, type CallRoute, handleCall } from './handle-call.ts';
import type { ModelCall } from './model-call.ts';
import type { ChatRequest } from './protocols/chat-completions/chat-request.ts';
import { chatCall } from './protocols/chat-completions/index.ts';

/**
 * Calls of models that native routes make for whoever asked them, with a key or signed in. They go the way of the
 * compatible routes.
 */
export type PrincipalCalls = {
  /** Takes a call from admission to answer. `model`: what the call will name. */
  handle: <Input>(
    exchange: { request: FastifyRequest; reply: FastifyReply },
    route: CallRoute<Input>,
    options?: { model?: string | null },
  ) => Promise<unknown>;
  /** Answers a conversation as chat completions do; resolves when the answer is charged. A stream takes the reply over. */
  answerChat: (call: ModelCall, chat: { input: ChatRequest; follower: AnswerFollower }) => Promise<unknown>;
};

export function createPrincipalCalls(deps: InferenceDeps): PrincipalCalls {
  const admit = createPrincipalAdmission(deps);
  return {
    handle: (exchange, route, options) => handleCall(deps, exchange, route, admitWithPrincipal(admit, options)),
    answerChat: (call, chat) => answerText(deps, call, { ...chat, route: chatCall }),
  };
}
