export { addModel } from './add-model.ts';
export { type BaseModel, chatDefaults, modelIdPattern, withQueryInstruction } from './base-model.ts';
export { baseModelsRoutes, toCompatModel } from './base-models.routes.ts';
export { isKvType, type SettingsChange } from './choose-settings.ts';
export { removeHostedModelsOf } from './deleted-projects.ts';
export { checkAlias, insertHostedModel } from './hosted-alias.ts';
export {
  type AliasRow,
  findHostedModel,
  type HostedModel,
  listCallableHostedModels,
  listHostedModelsByBase,
} from './hosted-models.store.ts';
export type {
  FinishedJob,
  FinishedJobs,
  FinishedJobsFilter,
  TrainedFacts,
  TrainedJobs,
  TrainedModels,
} from './hosted-target.ts';
export { createModelUsage, type ModelUsage } from './hosted-usage.ts';
export { createHosting, type NewDeployment } from './hosting.ts';
export {
  formatBytes,
  listModels,
  type ModelListing,
  renderModelTable,
} from './list-models.ts';
export { createMemoryPlans, type MemoryPlans } from './memory-plans.ts';
export { ModelBusyError, ModelError } from './model-error.ts';
export { type ModelKind, modelKinds, projectKindOf } from './model-kinds.ts';
export { type ModelsService, openModels } from './models-service.ts';
export { indexRateOf, listPrices } from './prices.ts';
export { type PullPreview, previewPull } from './pull/preview-pull.ts';
export { pullModel } from './pull/pull-model.ts';
export { type PulledWeights, pullWeights } from './pull/pull-weights.ts';
export { createModelPulls, type ModelPull, type ModelPulls, type UsePlanner } from './pull/pulls.ts';
export { type FoundRepository, searchHub } from './pull/search-hub.ts';
export { renderProgress } from './pull/transfer-meter.ts';
export type { HubAccess } from './pull/transfer-options.ts';
export { removeModel } from './remove-model.ts';
export { isOpenTo, resolveModel, type ServedModel, type TrainedModel } from './resolve.ts';
export * from './serving/route-operations.ts';
export { createServingRoutes, withRoutes } from './serving/serving-routes.ts';
export { setModel } from './set-model.ts';
export { deleteSharesOf } from './shares.store.ts';
export { type ModelDetails, renderModel, showModel } from './show-model.ts';
export {
  type HyperparameterName,
  type HyperparameterRange,
  type HyperparameterValue,
  hyperparameterNames,
  type TrainingProfile,
} from './training-profile.ts';
