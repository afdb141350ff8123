import type { FastifyPluginAsync } from 'fastify';
import type { Sql } from '#db';
import type { Clock, CursorCodec } from '#kernel';
import { type AutoSave, type AutoSaveLog, createAutoSave } from './auto-save.ts';
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
  sql,
  clock,
  cursors,
  log,
  retentionDays,
}: {
  sql: Sql;
  clock: Clock;
  cursors: CursorCodec;
  log: AutoSaveLog;
  retentionDays: number;
}): SavedCalls {
  const retention = createRetention({ clock, days: retentionDays });
  const autoSave = createAutoSave({ sql, log });
  const sweep = createSweep({ sql, retention, log });
  return {
    autoSave,
    routes: savedCallsRoutes({ sql, cursors, retention }),
    start: sweep.start,
    stop: async () => {
      await Promise.all([autoSave.stop(), sweep.stop()]);
    },
  };
}
