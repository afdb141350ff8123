import type { Billing } from '#billing';
import type { Sql } from '#db';
import type { Engine } from '#engine';
import type { Clock } from '#kernel';
import type { ModelsService } from '#models';
import type { Admit } from './admission.ts';

/** What the inference routes are given by the wiring. */
export type InferenceDeps = {
  admit: Admit;
  sql: Sql;
  models: ModelsService;
  engine: Engine;
  billing: Billing;
  clock: Clock;
};
