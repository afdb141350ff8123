import type { DatasetLimits } from '#datasets';
import { byteUnit, number, type SettingsOf } from './setting.ts';

export const datasetSettings: SettingsOf<DatasetLimits> = {
  maxDatasets: {
    env: 'FANFOLD_MAX_DATASETS',
    fallback: 1_000,
    expected: 'a number of datasets, 1 to 100000',
    read: number(1, 100_000),
  },
  maxExamplesPerDataset: {
    env: 'FANFOLD_MAX_EXAMPLES_PER_DATASET',
    fallback: 5_000_000,
    expected: 'a number of examples, 1 to 100000000',
    read: number(1, 100_000_000),
  },
  maxVersionsPerDataset: {
    env: 'FANFOLD_MAX_VERSIONS_PER_DATASET',
    fallback: 1_000,
    expected: 'a number of versions, 1 to 100000',
    read: number(1, 100_000),
  },
  maxIndexes: {
    env: 'FANFOLD_MAX_INDEXES',
    fallback: 100,
    expected: 'a number of indexes, 0 to 10000',
    read: number(0, 10_000),
  },
  maxImportBytes: {
    env: 'FANFOLD_MAX_IMPORT_MIB',
    fallback: 10_240 * byteUnit,
    expected: 'MiB, 1 to 1000000',
    read: number(1, 1_000_000, byteUnit),
  },
  maxImportRows: {
    env: 'FANFOLD_MAX_IMPORT_ROWS',
    fallback: 5_000_000,
    expected: 'a number of rows, 1 to 100000000',
    read: number(1, 100_000_000),
  },
  minTrainingExamples: {
    env: 'FANFOLD_MIN_TRAINING_EXAMPLES',
    fallback: 10,
    expected: 'a number of examples, 1 to 100000',
    read: number(1, 100_000),
  },
};

/** What datasets may hold here. */
export function datasetLimitsOf(config: DatasetLimits): DatasetLimits {
  const { maxDatasets, maxExamplesPerDataset, maxVersionsPerDataset, maxIndexes } = config;
  const { maxImportBytes, maxImportRows, minTrainingExamples } = config;
  return {
    maxDatasets,
    maxExamplesPerDataset,
    maxVersionsPerDataset,
    maxIndexes,
    maxImportBytes,
    maxImportRows,
    minTrainingExamples,
  };
}
