export { aliasPattern } from './alias-pattern.ts';
export { type CallableModel, trainedModelsQuery } from './models-queries.ts';
export { hostedModelRoute, hostedModelsRoute, registryRoute } from './routes.ts';
export { ServeTarget } from './serve-target.tsx';
