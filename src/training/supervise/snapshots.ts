import { findVersion, streamVersion } from '#datasets';
import type { Database } from '#db';
import type { ExampleEncoder } from '#engine';
import type { ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { noteSnapshot } from '../leftovers.store.ts';
import type { ControlSet } from '../prepare/control-set.ts';
import { freezeSnapshot } from '../prepare/freeze-snapshot.ts';
import type { SnapshotSettings } from '../prepare/snapshot.ts';
import { SnapshotRefused } from '../prepare/snapshot-refused.ts';
import { isStored } from '../prepare/stored-snapshot.ts';
import { numberOf, servingOf } from '../settings/hyperparameters.ts';
import { namedProblems } from './left-out.ts';
import type { MakeSnapshot } from './ports.ts';

export type SnapshotsDeps = {
  database: Database;
  models: Pick<ModelsService, 'find'>;
  objects: ObjectStore;
  encoder: ExampleEncoder;
  draftFolder: string;
};

/** Makes snapshots of the versions that jobs learn from, unless they are there. */
export function createSnapshots({ database, models, objects, encoder, draftFolder }: SnapshotsDeps): MakeSnapshot {
  const noted = (sha256: string) => noteSnapshot(database, sha256);
  return async (job, signal) => {
    if (job.snapshot) {
      await noted(job.snapshot.sha256);
      // The snapshot of a job that is tried again after a long time may have been removed.
      if (await isStored(objects, job.snapshot)) return job.snapshot;
    }
    const base = models.find(job.baseModelId);
    const version = await findVersion(database, { projectId: job.projectId, id: job.datasetVersionId });
    if (!base)
      throw new AttemptFailure('base_model_unavailable', `There is no base model ${job.baseModelId} any more.`);
    if (!version) throw new AttemptFailure('dataset_invalid', 'The frozen version of the dataset is gone.');
    const control = await findControl(database, job);
    try {
      return await freezeSnapshot({
        examples: streamVersion(database, version),
        ...{ base, objects, noted, encoder, draftFolder, signal, asOf: version.createdAt, control },
        settings: settingsOf(job),
      });
    } catch (error) {
      throw error instanceof SnapshotRefused ? failureOf(error) : error;
    }
  };
}

function settingsOf({ hyperparameters, evaluation }: TrainingJob): SnapshotSettings {
  return {
    maxSequenceLength: numberOf(hyperparameters, 'max_seq_length', 512),
    queryInstruction: servingOf(hyperparameters).queryInstruction,
    testRatio: evaluation.testRatio,
    seed: numberOf(hyperparameters, 'seed', 7),
  };
}

/** Tells the owner of the job which examples stand in its way. */
function failureOf(refused: SnapshotRefused): AttemptFailure {
  const named = namedProblems(refused.problems);
  const hint = named === '' ? null : `Mend or delete these examples, then freeze a new version. ${named}`;
  return new AttemptFailure('dataset_invalid', refused.message, { hint, cause: refused });
}

async function findControl(database: Database, { projectId, evaluation }: TrainingJob): Promise<ControlSet | null> {
  if (!evaluation.control) return null;
  const { versionId: id, replayRatio } = evaluation.control;
  const version = await findVersion(database, { projectId, id });
  if (!version) throw new AttemptFailure('dataset_invalid', 'The version of the control set is gone.');
  return { examples: streamVersion(database, version), replayRatio };
}
