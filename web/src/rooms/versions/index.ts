export { versionsRoute } from './routes.ts';
