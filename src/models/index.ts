export { type AddedReport, type AddModelOptions, addModel } from './add-model.ts';
export {
  type BaseModel,
  chatDefaults,
  embeddingLimits,
  isServed,
  type ModelKind,
  type ModelSource,
  modelIdPattern,
  withQueryInstruction,
} from './base-model.ts';
export { type BaseModelsDeps, baseModelsRoutes } from './base-models.routes.ts';
export { type CompatModel, toCompatModel } from './base-models.schema.ts';
export { checkAlias, insertHostedModel, type NewHostedModel } from './hosted-alias.ts';
export type { NewDeployment } from './hosted-deploy.ts';
export {
  type AliasRow,
  findHostedModel,
  type HostedModel,
  listCallableHostedModels,
  listHostedModelsByBase,
} from './hosted-models.store.ts';
export {
  type FinishedJob,
  type FinishedJobs,
  type FinishedJobsFilter,
  noFinishedJobs,
  noTrainedModels,
  type TrainedFacts,
  type TrainedJobs,
  type TrainedModel,
  type TrainedModels,
} from './hosted-trained.ts';
export { createModelUsage, type ModelUsage } from './hosted-usage.ts';
export { createHosting, type Hosting, type HostingOptions } from './hosting.ts';
export { formatBytes, listModels, type ModelListing, renderModelTable, type Trainability } from './list-models.ts';
export { ModelError } from './model-error.ts';
export { type ModelsOptions, type ModelsService, openModels } from './models-service.ts';
export { indexRateOf, listPrices } from './prices.ts';
export { type PulledReport, type PullModelOptions, pullModel } from './pull/pull-model.ts';
export { type PulledWeights, pullWeights } from './pull/pull-weights.ts';
export { renderProgress, type TransferProgress } from './pull/transfer-meter.ts';
export { type RemovedReport, type RemoveModelOptions, removeModel } from './remove-model.ts';
export { type ModelQuestion, resolveModel, type ServedModel } from './resolve.ts';
export { deleteRoute, listRoutes, putRoute, type RouteRow, setDraining } from './serving/serving-routes.store.ts';
export { createServingRoutes, type ServingRoutes, withRoutes } from './serving/serving-routes.ts';
export {
  type HyperparameterName,
  type HyperparameterRange,
  type HyperparameterValue,
  hyperparameterNames,
  type TrainingProfile,
} from './training-profile.ts';
