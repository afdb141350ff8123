import type { FastifyInstance } from 'fastify';
import { answerChat } from './answer-chat.ts';
import { attend, type CallRoute, repeatJson } from './attend.ts';
import { chatContract } from './chat.contract.ts';
import { type ChatRequest, readChatRequest } from './chat.schema.ts';
import { repeatChatStream } from './chat-stream.ts';
import type { InferenceDeps } from './deps.ts';
import { inferencePrefix } from './entry.ts';

/** POST P/chat/completions, JSON and SSE. */
export function chatRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  const config = {
    ...({ operation: 'chat.create', access: 'admission', shape: 'compat', contract: chatContract } as const),
    json: { exact: ['tools', 'response_format'] },
  };
  const route: CallRoute<ChatRequest> = {
    operation: config.operation,
    read: readChatRequest,
    answer: (call, wanted) => answerChat(deps, call, { wanted, follower: null }),
    repeat: (kept, { wanted, reply, caller }) =>
      wanted.stream ? repeatChatStream(kept, { wanted, reply, caller }) : repeatJson(kept, { reply }),
  };
  app.post(`${inferencePrefix}/chat/completions`, { config }, (request, reply) =>
    attend(deps, { request, reply }, route),
  );
}
