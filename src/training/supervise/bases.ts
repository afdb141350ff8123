import type { ModelsService } from '#models';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { architectureOf } from './attempt-folder.ts';

export type Base = { ggufPath: string; weightsFolder: string };

/** Base models as jobs need them: installed, and still the file that the job was made for. */
export function createBases(models: Pick<ModelsService, 'find' | 'trainingProfile'>) {
  function baseOf(baseModelId: string, sha256: string): Base {
    const installed = models.find(baseModelId)?.installed;
    const { weightsFolder = null, weightsCommand = null } = models.trainingProfile(baseModelId) ?? {};
    if (!installed || weightsFolder === null) {
      const command = installed ? weightsCommand : null;
      throw new AttemptFailure(
        'base_model_unavailable',
        `The base model ${baseModelId} is not installed with its weights.`,
        { hint: command && `Ask the operator to install them with "${command}", then retry.` },
      );
    }
    if (installed.sha256 !== sha256)
      throw new AttemptFailure(
        'base_model_unavailable',
        `The file of ${baseModelId} is another one than when the job was made.`,
      );
    return { ggufPath: installed.ggufPath, weightsFolder };
  }

  return {
    baseOf,
    async weightsOf({ baseModelId, baseSha256 }: TrainingJob) {
      const { weightsFolder: dir } = baseOf(baseModelId, baseSha256);
      const arch = await architectureOf(dir);
      if (arch === null)
        throw new AttemptFailure('base_model_unavailable', `The weights of ${baseModelId} name no architecture.`);
      return { dir, arch };
    },
  };
}
