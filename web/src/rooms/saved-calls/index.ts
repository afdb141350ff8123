export { savedCallsRoute } from './routes.ts';
