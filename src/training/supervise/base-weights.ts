import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isFields } from '#kernel';
import type { ModelsService } from '#models';
import type { TrainingJob } from '../jobs/job.ts';
import { AttemptFailure } from '../jobs/lifecycle.ts';

/** The files of a job's base model: installed, and still those that the job was made for. Throws `AttemptFailure`. */
export function baseFilesOf(
  models: Pick<ModelsService, 'find' | 'trainingProfile'>,
  { baseModelId, baseSha256 }: TrainingJob,
): { ggufPath: string; weightsFolder: string } {
  const installed = models.find(baseModelId)?.installed;
  const { weightsFolder = null, weightsCommand = null } = models.trainingProfile(baseModelId) ?? {};
  if (!installed || weightsFolder === null) {
    const command = installed ? weightsCommand : null;
    throw unavailable(
      `The base model ${baseModelId} is not installed with its weights.`,
      command && `Ask the operator to install them with "${command}", then retry.`,
    );
  }
  if (installed.sha256 !== baseSha256)
    throw unavailable(`The file of ${baseModelId} is another one than when the job was made.`);
  return { ggufPath: installed.ggufPath, weightsFolder };
}

export async function baseWeightsOf(models: Pick<ModelsService, 'find' | 'trainingProfile'>, job: TrainingJob) {
  const { weightsFolder: dir } = baseFilesOf(models, job);
  const arch = await architectureOf(dir);
  if (arch === null) throw unavailable(`The weights of ${job.baseModelId} name no architecture.`);
  return { dir, arch };
}

function unavailable(message: string, hint: string | null = null): AttemptFailure {
  return new AttemptFailure('base_model_unavailable', message, { hint });
}

export async function architectureOf(weightsFolder: string): Promise<string | null> {
  const config: unknown = JSON.parse(await readFile(join(weightsFolder, 'config.json'), 'utf8'));
  const type = isFields(config) ? config.model_type : null;
  return typeof type === 'string' ? type : null;
}
