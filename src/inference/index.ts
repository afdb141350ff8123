import type { FastifyInstance } from 'fastify';
import { chatRoutes } from './chat.routes.ts';
import { completionsRoutes } from './completions.routes.ts';
import type { InferenceDeps } from './deps.ts';
import { embeddingsRoutes } from './embeddings.routes.ts';
import { modelsRoutes } from './models.routes.ts';

export { type Admit, type Admitted, createAdmission } from './admission.ts';
export { type AutoSave, createAutoSave } from './auto-save.ts';
export type { InferenceDeps } from './deps.ts';
export type { CallEnd, CallWatch, ObserveCall, ObservedCall } from './observe-calls.ts';
export { createRepeatGuard, type RepeatGuard } from './repeat-guard.ts';
export { createSavedCalls, type SavedCalls } from './saved-calls-wiring.ts';

/** Registers the compatible inference routes. */
export function inferenceRoutes(app: FastifyInstance, deps: InferenceDeps): void {
  modelsRoutes(app, deps);
  chatRoutes(app, deps);
  completionsRoutes(app, deps);
  embeddingsRoutes(app, deps);
}
