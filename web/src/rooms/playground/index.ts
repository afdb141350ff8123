export { playgroundRoute } from './routes.ts';
