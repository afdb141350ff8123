import type { FastifyInstance } from 'fastify';
import type { Datasets } from '#datasets';
import type { Database } from '#db';
import type { Clock, CursorCodec } from '#kernel';
import type { BaseModel } from '#models';
import { eventsRoutes } from './events/events.routes.ts';
import { reportRoutes } from './events/report.routes.ts';
import { createReporter } from './events/report.ts';
import { createFeedbackMaintenance, type FeedbackMaintenanceOptions } from './maintenance.ts';
import { countFeedback } from './overview.store.ts';
import { negativePolicy } from './policy/negative-policy.ts';
import { promotionRoutes } from './promotion/promotion.routes.ts';
import { settingsRoutes } from './settings/settings.routes.ts';

export type FeedbackOptions = {
  database: Database;
  cursors: CursorCodec;
  clock: Clock;
  datasets: Datasets;
  models: { baseModels: () => readonly BaseModel[] };
  retentionDays: number;
  log: NonNullable<FeedbackMaintenanceOptions['log']>;
};

export function createFeedback(options: FeedbackOptions) {
  const { database, datasets } = options;
  const reporter = createReporter({ database, minStrength: negativePolicy.minStrength });
  const maintenance = createFeedbackMaintenance(options);
  return {
    routes: async (app: FastifyInstance): Promise<void> => {
      await app.register(settingsRoutes({ ...options, sql: database }));
      await app.register(reportRoutes({ database, datasets, reporter }));
      await app.register(eventsRoutes(options));
      await app.register(promotionRoutes(options));
    },
    count: (query: { accountId: string; since: Date }) => countFeedback(database, query),
    start: maintenance.start,
    stop: maintenance.stop,
  };
}
