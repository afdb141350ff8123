export { indexesRoute, indexRoute } from './routes.ts';
