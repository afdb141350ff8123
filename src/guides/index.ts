export { guidesRoutes } from './guides.routes.ts';
