import { findVersion, streamVersion } from '#datasets';
import type { Database } from '#db';
import type { ExampleEncoder } from '#engine';
import type { ModelsService } from '#models';
import type { ObjectStore } from '#objects';
import type { TrainingJob } from '../jobs/job.ts';
import { AttemptFailure } from '../jobs/lifecycle.ts';
import { noteSnapshot } from '../maintenance.store.ts';
import type { ControlSet } from '../prepare/control-set.ts';
import { freezeSnapshot } from '../prepare/freeze-snapshot.ts';
import { isStored, type SnapshotManifest, SnapshotRefused, type SnapshotSettings } from '../prepare/snapshot.ts';
import { numberOf, servingOf } from '../settings/hyperparameters.ts';
import { problemTexts } from './log-lines.ts';

type SnapshotsDeps = {
  database: Database;
  models: Pick<ModelsService, 'find'>;
  objects: ObjectStore;
  encoder: ExampleEncoder;
  draftFolder: string;
};

/** The data of a job, complete in the object store; the same job gives the same snapshot. Throws `AttemptFailure`. */
export type MakeSnapshot = (job: TrainingJob, signal: AbortSignal) => Promise<SnapshotManifest>;

/** Makes snapshots of the versions that jobs learn from, unless they are there. */
export function createSnapshots({ database, models, objects, encoder, draftFolder }: SnapshotsDeps): MakeSnapshot {
  const onName = (sha256: string) => noteSnapshot(database, sha256);
  return async (job, signal) => {
    if (job.snapshot) {
      await onName(job.snapshot.sha256);
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
        base,
        objects,
        onName,
        encoder,
        draftFolder,
        signal,
        asOf: version.createdAt,
        control,
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

function failureOf(refused: SnapshotRefused): AttemptFailure {
  const named = problemTexts(refused.problems);
  const hint = named === '' ? null : `Mend or delete these examples, then freeze a new version. ${named}`;
  return new AttemptFailure('dataset_invalid', refused.message, { hint, cause: refused });
}

async function findControl(database: Database, { projectId, evaluation }: TrainingJob): Promise<ControlSet | null> {
  if (!evaluation.control) return null;
  const { versionId: id, replayRatio } = evaluation.control;
  const version = await findVersion(database, { projectId, id });
  if (!version) throw new AttemptFailure('dataset_invalid', 'The version of the regression check is gone.');
  return { examples: streamVersion(database, version), replayRatio };
}
