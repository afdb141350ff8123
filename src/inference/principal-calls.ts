import type { FastifyReply, FastifyRequest } from 'fastify';
import { createPrincipalAdmission } from './admission.ts';
import { type AnswerFollower, answerText } from './answer-text.ts';
import { attend, type CallRoute } from './attend.ts';
import type { AttendedCall } from './attended-call.ts';
import type { InferenceDeps } from './deps.ts';
import { enterAsPrincipal } from './entry.ts';
import type { ChatRequest } from './protocols/chat-completions/chat-request.ts';
import { chatCall } from './protocols/chat-completions/index.ts';

/**
 * Calls of models that native routes make for whoever asked them, with a key or signed in. They go the way of the
 * compatible routes: admission, limits, hold, charge, kept answers, record.
 */
export type PrincipalCalls = {
  /** As `attend`: takes a call from admission to answer. `model`: what the call will name. */
  attend: <Wanted>(
    exchange: { request: FastifyRequest; reply: FastifyReply },
    route: CallRoute<Wanted>,
    how?: { model?: string | null },
  ) => Promise<unknown>;
  /** Answers a conversation as chat completions do; resolves when the answer is charged. A stream takes the reply over. */
  answerChat: (call: AttendedCall, chat: { wanted: ChatRequest; follower: AnswerFollower }) => Promise<unknown>;
};

export function createPrincipalCalls(deps: InferenceDeps): PrincipalCalls {
  const admit = createPrincipalAdmission(deps);
  return {
    attend: (exchange, route, how) => attend(deps, exchange, route, enterAsPrincipal(admit, how)),
    answerChat: (call, chat) => answerText(deps, call, { ...chat, route: chatCall }),
  };
}
