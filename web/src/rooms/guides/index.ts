export { guideRoute, guidesHomeRoute, guidesRoute } from './routes.ts';
