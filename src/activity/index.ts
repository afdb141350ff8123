export { type ActivityType, activityTypes, type Severity } from './activity-types.ts';
export { type Actor, actorOf, type Happening, recordActivity, systemActor } from './record.ts';
