export { dashboardRoutes } from './dashboard.routes.ts';
export type { DashboardSources } from './dashboard.ts';
export {
  type DashboardParts,
  emptyParts,
  type FeedbackOverview,
  type ImportsOverview,
  type PartQuestion,
  type TrainingOverview,
} from './parts.ts';
