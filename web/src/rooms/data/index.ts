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
export { NoDatasets } from './no-datasets.tsx';
export { dataRoute, datasetRoute } from './routes.ts';
export { useDatasetOptions } from './use-dataset-options.ts';
export { useReadOnly } from './use-read-only.ts';
export { useSavedNotice } from './use-saved-notice.tsx';
export { useVersionOption } from './use-version-option.ts';
export { VersionLink } from './version-link.tsx';
export { useVersionName, type Version, versionName, versionQuery, versionsQuery } from './version-queries.ts';
