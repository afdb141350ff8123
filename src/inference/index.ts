import type { FastifyInstance } from 'fastify';
import { chatRoutes } from './chat.routes.ts';
import { completionsRoutes } from './completions.routes.ts';
import type { InferenceDeps } from './deps.ts';
import { embeddingsRoutes } from './embeddings.routes.ts';
import { modelsRoutes } from './models.routes.ts';

export { createAdmission } from './admission.ts';
export type { ChatEnd, ChatFollower } from './answer-chat.ts';
export type { AttendedCall } from './attended-call.ts';
export { createAutoSave } from './auto-save.ts';
export { chunkSchema as chatChunkSchema } from './chat.contract.ts';
export { readChatRequest } from './chat.schema.ts';
export { toolCalls as toolCallsSchema, tools as toolsSchema } from './chat-request.contract.ts';
export { repeatChatStream } from './chat-stream.ts';
export { type NamedDelta, usageToWire } from './chat-wire.ts';
export type { InferenceDeps } from './deps.ts';
export { createDoubtfulPayers } from './doubtful-payers.ts';
export { chargeFromJson, chargeToJson } from './kept-calls.ts';
export type { CallEnd, CallWatch, ObserveCall, ObservedCall } from './observe-calls.ts';
export { createPrincipalCalls, type PrincipalCalls } from './principal-calls.ts';
export { createRepeatGuard } from './repeat-guard.ts';
export { textCallFaults } from './sampling.contract.ts';
export { createSavedCalls } from './saved-calls-wiring.ts';
export { finishReason as finishReasonSchema, usageExample, usageSchema } from './usage.schema.ts';

/** Registers the compatible inference routes. */
export function inferenceRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  modelsRoutes(app, deps);
  chatRoutes(app, deps);
  completionsRoutes(app, deps);
  embeddingsRoutes(app, deps);
}
