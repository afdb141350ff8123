import type { Database } from '#db';
import type { Clock } from '#kernel';
import type { Activations } from './hosted-activation.ts';
import type { LoadCheckEngine } from './hosted-load-check.ts';
import type { TargetDeps } from './hosted-target.ts';

/** What the operations on aliases need: making, changing and serving them. */
export type HostedDeps = {
  database: Database;
  targets: TargetDeps;
  engine: LoadCheckEngine;
  activations: Activations;
  clock: Clock;
};
