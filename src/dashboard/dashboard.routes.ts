import type { FastifyInstance } from 'fastify';
import type { TypeBoxProvider } from '#http';
import { dashboardContract } from './dashboard.contract.ts';
import { dashboardQuery } from './dashboard.schema.ts';
import { type DashboardSources, readDashboard } from './dashboard.ts';

export function dashboardRoutes(sources: DashboardSources) {
  return async (app: FastifyInstance): Promise<void> => {
    app.withTypeProvider<TypeBoxProvider>().get(
      '/api/v1/dashboard',
      {
        config: { operation: 'dashboard.read', contract: dashboardContract },
        schema: { querystring: dashboardQuery },
      },
      ({ principal, query }) => readDashboard(sources, principal.accountId, query.window ?? '7d'),
    );
  };
}
