export { activityRoutes } from './activity.routes.ts';
export { activityMonths } from './activity.ts';
export type { ActivityType, Severity } from './activity-types.ts';
export { type Actor, actorOf, type Happening, recordActivity, systemActor } from './record.ts';
export { hrefOf } from './subject-href.ts';
