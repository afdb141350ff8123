import type { Billing } from '#billing';
import type { Sql } from '#db';
import type { Engine } from '#engine';
import type { Clock } from '#kernel';
import type { ModelsService, ModelUsage } from '#models';
import type { Admit } from './admission.ts';
import type { AutoSave } from './auto-save.ts';
import type { ObserveCall } from './observe-calls.ts';

/** What the inference routes are given by the wiring. */
export type InferenceDeps = {
  admit: Admit;
  sql: Sql;
  models: ModelsService;
  modelUsage: ModelUsage;
  engine: Engine;
  billing: Billing;
  autoSave: AutoSave;
  /** Null: nobody observes calls. */
  observe: ObserveCall | null;
  clock: Clock;
};
