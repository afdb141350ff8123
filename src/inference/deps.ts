import type { Calls } from '#calls';
import type { Database } from '#db';
import type { Engine } from '#engine';
import type { Clock } from '#kernel';
import type { ModelsService, ModelUsage } from '#models';
import type { Admit, FindTrained } from './admission.ts';
import type { AutoSave } from './auto-save.ts';
import type { ObserveCall } from './observe-calls.ts';
import type { RepeatGuard } from './repeat-guard.ts';
import type { ResponseStore } from './stored-responses.ts';

/** What the inference routes are given by the wiring. */
export type InferenceDeps = {
  admit: Admit;
  findTrained?: FindTrained;
  sql: Database;
  models: ModelsService;
  modelUsage: ModelUsage;
  engine: Engine;
  calls: Calls;
  repeatGuard: RepeatGuard;
  /** Null: responses are not stored. */
  storedResponses: ResponseStore | null;
  autoSave: AutoSave;
  /** Null: nobody observes calls. */
  observe: ObserveCall | null;
  clock: Clock;
  /** Of this installation: with it protocols sign what clients send back. */
  protocolSecret: Buffer;
};
