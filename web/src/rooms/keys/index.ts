export { keysQuery } from './keys-queries.ts';
export { keysRoute } from './routes.ts';
