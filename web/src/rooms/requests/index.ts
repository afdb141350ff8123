export { projectRequestsRoute, requestsRoute } from './routes.ts';
