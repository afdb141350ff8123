import type { Sql } from '#db';
import { findUsed } from './datasets.store.ts';

export type DatasetLimits = {
  /** Open ones, per project. */
  maxDatasets: number;
  maxExamplesPerDataset: number;
  maxVersionsPerDataset: number;
  maxIndexes: number;
  maxImportBytes: number;
  maxImportRows: number;
  minTrainingExamples: number;
};

export const batchLimits = { maxExamples: 100, maxRetrievalBatch: 100, maxResultsPerEvent: 50 } as const;

export type LimitsView = {
  limits: DatasetLimits;
  /** Null: no model of this kind is installed. */
  maxExampleTokens: number | null;
  used: { datasets: number; examples: number; bytes: bigint };
};

export async function viewLimits(
  sql: Sql,
  { projectId, ...rest }: { projectId: string; limits: DatasetLimits; maxExampleTokens: number | null },
): Promise<LimitsView> {
  return { ...rest, used: await findUsed(sql, projectId) };
}
