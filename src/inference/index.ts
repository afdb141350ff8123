import type { FastifyInstance } from 'fastify';
import { projectPrefix } from '#projects';
import type { InferenceDeps } from './deps.ts';
import { protocolRoutes, signedInRoute } from './protocol-routes.ts';
import { tryEmbeddings } from './protocols/embeddings/index.ts';
import { createProtocols } from './protocols/index.ts';
import { tryRerank } from './protocols/rerank/index.ts';

export { createAdmission } from './admission.ts';
export type { AnswerEnd, AnswerFollower } from './answer-text.ts';
export { createAutoSave } from './auto-save.ts';
export type { NamedDelta } from './collected-answer.ts';
export { removeResponsesOf, removeStoredCallsOf } from './deleted-projects.ts';
export type { InferenceDeps } from './deps.ts';
export type { CallRecord, ModelCall } from './model-call.ts';
export type { CallEnd, CallWatch, ObserveCall, ObservedCall } from './observe-calls.ts';
export { createPrincipalCalls, type PrincipalCalls } from './principal-calls.ts';
export { chunkSchema as chatChunkSchema } from './protocols/chat-completions/chat.contract.ts';
export {
  responseFormat as responseFormatSchema,
  toolCalls as toolCallsSchema,
  tools as toolsSchema,
} from './protocols/chat-completions/chat-request.contract.ts';
export { readChatRequest } from './protocols/chat-completions/chat-request.ts';
export { repeatChatStream, usageToWire } from './protocols/chat-completions/index.ts';
export { samplingFields } from './protocols/openai/sampling.contract.ts';
export {
  finishReason as finishReasonSchema,
  usageExample,
  usageSchema,
} from './protocols/openai/usage.schema.ts';
export { textCallFaults } from './protocols/shared/call.contract.ts';
export { readImageUrl } from './protocols/shared/images.ts';
export { createRepeatGuard } from './repeat-guard.ts';
export { createSavedCalls } from './saved-calls-wiring.ts';
export type { ResponseStore } from './stored-responses.ts';
export { createStoredResponses } from './storing-responses.ts';

/** Registers the routes of all protocols. */
export function inferenceRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  for (const protocol of createProtocols({ secret: deps.protocolSecret })) protocolRoutes(app, deps, protocol);
  for (const call of [tryEmbeddings, tryRerank]) signedInRoute(app, deps, { prefix: projectPrefix, call });
}
