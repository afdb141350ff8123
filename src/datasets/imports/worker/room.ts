import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import type { ExampleKind } from '../../content/example-content.ts';
import { findDataset } from '../../datasets.store.ts';
import type { TokenRuler } from '../../examples/new-examples.ts';
import type { RunningImport } from '../import-runs.store.ts';
import type { SurveyRuler } from '../survey/survey-options.ts';
import type { WorkBounds } from './protocol.ts';
import type { Pulse } from './pulse.ts';

/** What a worker works with. */
export type WorkDeps = {
  database: Database;
  objects: ObjectStore;
  bounds: WorkBounds;
  tempDir: string;
  /** Folder of this machine for rows that were read already (`kept-files.ts`). */
  keptDir: string;
  /** Null: no model is installed that could count for this dataset. */
  rulerOf: (dataset: Counted) => TokenRuler | null;
  /** The same, for a survey. */
  surveyRulerOf: (dataset: Counted) => Promise<SurveyRuler | null>;
};

type Counted = { kind: ExampleKind; targetModel: string | null };

/** The ruler of the dataset that an import goes into, or will make. */
export async function rulerFor(job: Job): Promise<TokenRuler | null> {
  return job.rulerOf(await countedFor(job));
}

export async function surveyRulerFor(
  job: Pick<Job, 'run' | 'database' | 'surveyRulerOf'>,
): Promise<SurveyRuler | null> {
  return job.surveyRulerOf(await countedFor(job));
}

async function countedFor({ run, database }: Pick<Job, 'run' | 'database'>): Promise<Counted> {
  const { kind, projectId, datasetId } = run;
  const dataset = datasetId === null ? null : await findDataset(database, { projectId, id: datasetId });
  return { kind, targetModel: dataset?.targetModel ?? null };
}

/** A piece of work under way. */
export type Job = WorkDeps & { run: RunningImport; pulse: Pulse };
