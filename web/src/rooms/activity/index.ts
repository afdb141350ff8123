export { activityRoute } from './routes.ts';
