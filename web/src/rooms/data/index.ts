export {
  NoDatasets,
  useDatasetOptions,
  useReadOnly,
  useSavedNotice,
  useVersionOption,
  VersionLink,
} from './dataset-references.tsx';
export {
  type Dataset,
  type DatasetPath,
  datasetLimitsQuery,
  datasetQuery,
  datasetsQuery,
  isImportInProgress,
  pathOf,
  refreshDataset,
} from './datasets-queries.ts';
export { dataRoute, datasetRoute } from './routes.ts';
export { useVersionName, type Version, versionName, versionQuery, versionsQuery } from './version-queries.ts';
