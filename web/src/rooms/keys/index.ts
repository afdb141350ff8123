export { keysQuery } from './keys-queries.ts';
export { LazyCreateKey } from './lazy-create-key.ts';
export { keysRoute } from './routes.ts';
