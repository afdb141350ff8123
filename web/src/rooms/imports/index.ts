export { importRoute } from './routes.ts';
