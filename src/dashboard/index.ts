export { dashboardRoutes } from './dashboard.routes.ts';
export type { DashboardParts } from './parts.ts';
