import type { FastifyPluginAsync } from 'fastify';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { Clock, CursorCodec, Log } from '#kernel';
import { type AutoSave, createAutoSave } from './auto-save.ts';
import { convertRoutes } from './conversion/convert.routes.ts';
import { savedCallsRoutes } from './saved-calls.routes.ts';
import { createRetention, createSweep } from './saved-calls-sweep.ts';

/** Everything about calls that are kept, for the wiring. */
export type SavedCalls = {
  autoSave: AutoSave;
  routes: FastifyPluginAsync;
  start: () => void;
  /** Once no call runs any more: writes what waits, within a bound. Rejects never. */
  stop: () => Promise<void>;
};

export function createSavedCalls({
  database,
  datasets,
  clock,
  cursors,
  log,
  retentionDays,
}: {
  database: Database;
  datasets: Datasets;
  clock: Clock;
  cursors: CursorCodec;
  log: Pick<Log, 'warn'>;
  retentionDays: number;
}): SavedCalls {
  const retention = createRetention({ clock, days: retentionDays });
  const autoSave = createAutoSave({ sql: database, log });
  const sweep = createSweep({ sql: database, retentionDays, log });
  return {
    autoSave,
    routes: async (app) => {
      await app.register(savedCallsRoutes({ sql: database, cursors, retention }));
      await app.register(convertRoutes({ database, datasets, retention }));
    },
    start: sweep.start,
    stop: async () => {
      await Promise.all([autoSave.stop(), sweep.stop()]);
    },
  };
}
