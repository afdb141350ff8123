import {
  countLongExamples,
  type Dataset,
  type Datasets,
  type DatasetVersion,
  findDataset,
  findVersion,
} from '#datasets';
import type { Sql } from '#db';
import { checkDisplayName, displayNameFrom, fault, isId, type Micro, quotedText } from '#kernel';
import { type BaseModel, checkAlias, type ModelsService, type TrainingProfile } from '#models';
import type { ProjectSeen } from '#projects';
import { estimateJob, estimateSteps } from '../settings/estimate.ts';
import { type Hyperparameters, numberOf, resolveHyperparameters } from '../settings/hyperparameters.ts';
import type { JobDeployment, JobEvaluation, JobPlan, JobWarning } from './job.ts';
import { findMsPerToken } from './jobs.store.ts';

export type JobRequest = {
  name: string | null;
  baseModelId: string;
  datasetId: string;
  datasetVersionId: string | null;
  hyperparameters: Record<string, unknown>;
  evaluation: JobEvaluation;
  deploy: JobDeployment | null;
};

type PlanDeps = { sql: Sql; models: ModelsService; datasets: Pick<Datasets, 'limits'> };

/** Reads what a job would be. Throws what stands in its way, except a lack of credits. */
export async function planJob(deps: PlanDeps, project: ProjectSeen, request: JobRequest): Promise<JobPlan> {
  const { sql, models } = deps;
  const { evaluation, deploy } = request;
  const { baseModel, profile, rateMicroPerMinute } = trainable(models, request.baseModelId);
  const { dataset, version } = await findData(sql, project, request);
  checkKinds(project, baseModel, dataset);
  const hyperparameters = resolveHyperparameters(profile, request.hyperparameters);
  if (deploy) checkAlias(deploy.alias, models, 'deploy.alias');
  const counts = countsOf(dataset, version, evaluation);
  const control = await findControl(sql, project, evaluation);
  refuseTooFew(counts, deps.datasets.limits.minTrainingExamples);
  const estimate = estimateJob({
    parameters: baseModel.parameters,
    ...counts,
    hyperparameters,
    rateMicroPerMinute,
    measuredMsPerToken: await findMsPerToken(sql, baseModel.id),
    replayRatio: evaluation.control?.replayRatio ?? 0,
    controlCount: control ? control.trainCount + control.testCount : 0,
  });
  const long = await findLong(sql, dataset, { version, hyperparameters });
  return {
    name: checkDisplayName(request.name ?? nameFor(dataset, baseModel), 'name'),
    baseModel,
    dataset,
    version,
    hyperparameters,
    evaluation,
    deploy,
    rateMicroPerMinute,
    priceVersion: baseModel.priceVersion,
    estimate,
    warnings: warningsOf({ dataset, version, control, counts, hyperparameters, long }),
  };
}

function checkKinds(project: ProjectSeen, baseModel: BaseModel, dataset: Dataset): void {
  if (baseModel.kind === project.kind && dataset.kind === project.kind) return;
  throw fault('kind_mismatch', {
    message: `This is a model of kind ${baseModel.kind}; the project is of kind ${project.kind}.`,
    param: 'base_model',
  });
}

function refuseTooFew({ trainCount: actual }: Counts, min: number): void {
  if (actual >= min) return;
  throw fault('invalid_request', {
    message: `dataset_id: there are ${actual} examples to learn from; a training job takes at least ${min}.`,
    param: 'dataset_id',
    details: { reason: 'too_few_examples', min, actual },
  });
}

function nameFor(dataset: { name: string }, baseModel: { name: string }): string {
  return displayNameFrom(`${dataset.name} on ${baseModel.name}`) ?? baseModel.name;
}

type Trainable = { baseModel: JobPlan['baseModel']; profile: TrainingProfile; rateMicroPerMinute: Micro };

function trainable(models: ModelsService, id: string): Trainable {
  const baseModel = models.find(id);
  const param = 'base_model';
  if (!baseModel) throw fault('model_not_found', { message: `There is no base model ${quotedText(id)}.`, param });
  const profile = models.trainingProfile(id);
  const rateMicroPerMinute = models.catalogue.otherRates.get(id)?.trainingMicroPerMinute ?? null;
  if (!profile || rateMicroPerMinute === null) {
    throw fault('invalid_request', {
      message: `base_model: training is not offered on ${id}.`,
      param,
      details: { reason: 'training_not_offered' },
    });
  }
  const { installed } = baseModel;
  if (!installed || profile.weightsFolder === null) throw notInstalled(baseModel, profile);
  return { baseModel: { ...baseModel, installed }, profile, rateMicroPerMinute };
}

function notInstalled({ id, installed, source }: BaseModel, { weightsFolder, weightsCommand }: TrainingProfile) {
  const missing: string[] = [];
  const commands: string[] = [];
  if (!installed) {
    missing.push('the file that serves it');
    if (source?.type === 'hub') commands.push(`fanfold models pull ${id}`);
  }
  if (weightsFolder === null) {
    missing.push('the weights to train on');
    if (weightsCommand !== null) commands.push(weightsCommand);
  }
  const advice = commands.length === 0 ? '' : ` Its operator installs this with: ${commands.join('; ')}`;
  return fault('model_not_installed', {
    message: `The base model ${id} is listed, but this server lacks ${missing.join(' and ')}.${advice}`,
    param: 'base_model',
  });
}

async function findData(
  sql: Sql,
  project: ProjectSeen,
  { datasetId, datasetVersionId }: JobRequest,
): Promise<{ dataset: Dataset; version: DatasetVersion | null }> {
  const address = { projectId: project.id, id: datasetId };
  const dataset = isId('ds', datasetId) ? await findDataset(sql, address) : null;
  if (!dataset) throw fault('not_found', { message: 'There is no such dataset.', param: 'dataset_id' });
  if (dataset.archivedAt) {
    throw fault('state_conflict', {
      message: 'This dataset is archived.',
      param: 'dataset_id',
      details: { state: 'archived', allowed_from: ['active'] },
    });
  }
  const latest = dataset.headSha256 === null ? null : dataset.latestVersion;
  const id = datasetVersionId ?? latest?.id ?? null;
  if (id === null) return { dataset, version: null };
  const version = isId('dsv', id) ? await findVersion(sql, { projectId: project.id, id }) : null;
  if (version?.datasetId === dataset.id) return { dataset, version };
  throw fault('not_found', { message: 'The dataset has no such version.', param: 'dataset_version_id' });
}

const controlField = 'evaluation.control.dataset_version_id';

async function findControl(sql: Sql, project: ProjectSeen, { control }: JobEvaluation): Promise<DatasetVersion | null> {
  if (!control) return null;
  const address = { projectId: project.id, id: control.versionId };
  const version = isId('dsv', address.id) ? await findVersion(sql, address) : null;
  if (!version) {
    throw fault('not_found', { message: `${controlField}: there is no such dataset version.`, param: controlField });
  }
  const dataset = await findDataset(sql, { projectId: project.id, id: version.datasetId });
  if (dataset?.kind === project.kind) return version;
  throw fault('kind_mismatch', {
    message: `${controlField}: the project is of kind ${project.kind}, and this version is not.`,
    param: controlField,
  });
}

type Counts = { trainCount: number; testCount: number; tokens: number };

/** What is learned from and what is held out: what is for testing, and with a ratio that part of the others. */
function countsOf(dataset: Dataset, version: DatasetVersion | null, { testRatio }: JobEvaluation): Counts {
  const { trainCount, testCount } = version ?? dataset;
  const tokens = version ? version.tokenStats.total : Number(dataset.tokenTotal);
  if (testRatio === null) return { trainCount, testCount, tokens };
  const heldOut = Math.round(trainCount * testRatio);
  return { trainCount: trainCount - heldOut, testCount: testCount + heldOut, tokens };
}

type LongExamples = { than: number; examples: number };

async function findLong(
  sql: Sql,
  dataset: Dataset,
  { version, hyperparameters }: { version: DatasetVersion | null; hyperparameters: Hyperparameters },
): Promise<LongExamples> {
  const than = numberOf(hyperparameters, 'max_seq_length', Number.POSITIVE_INFINITY);
  if (!Number.isFinite(than)) return { than, examples: 0 };
  const seq = version?.seq ?? null;
  return { than, examples: await countLongExamples(sql, { datasetId: dataset.id, seq, tokens: than }) };
}

const fewExamples = 100;
const fewSteps = 20;

function warningsOf(plan: {
  dataset: Dataset;
  version: DatasetVersion | null;
  control: DatasetVersion | null;
  counts: Counts;
  hyperparameters: Hyperparameters;
  long: LongExamples;
}): JobWarning[] {
  const { dataset, version, counts, hyperparameters, long } = plan;
  const warnings: JobWarning[] = [];
  const warn = (code: string, message: string) => warnings.push({ code, message });
  const { trainCount, testCount } = counts;
  if (trainCount < fewExamples)
    warn('few_examples', `${trainCount} examples are few: expect a change of manner rather than of knowledge.`);
  if (testCount === 0)
    warn(
      'nothing_held_out',
      'No example is held out, so nothing will tell how much was learned. Set evaluation.test_ratio.',
    );
  if (dataset.invalidCount > 0 && version === null)
    warn('invalid_examples', `${dataset.invalidCount} examples cannot be learned from and are left out.`);
  if (long.examples > 0) {
    const what = dataset.kind === 'text' ? 'left out' : 'cut';
    warn('long_examples', `Examples longer than ${long.than} tokens are ${what}: ${long.examples} of this dataset.`);
  }
  if (plan.control !== null && plan.control.datasetId === dataset.id)
    warn(
      'control_is_learned',
      'The regression check is of the dataset that is learned from: it cannot tell what is forgotten.',
    );
  const steps = estimateSteps({ trainCount, hyperparameters });
  if (steps < fewSteps)
    warn('few_steps', `Training takes ${steps} steps only. Lower batch_size or raise epochs if nothing is learned.`);
  return warnings;
}
