export { draftOf } from './draft-names.ts';
export { playgroundRoute } from './routes.ts';
