export { accountRoute } from './routes.ts';
