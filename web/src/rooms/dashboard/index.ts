export { dashboardRoute } from './routes.ts';
