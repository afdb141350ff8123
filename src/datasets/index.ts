export { checkExample, contentHash } from './content/check-example.ts';
export type { EmbeddingContent, ExampleContent, Passage, TextContent } from './content/example-content.ts';
export type { Issue } from './content/issues.ts';
export { searchTerms, searchWords } from './content/search-words.ts';
export {
  changeOwnDataset,
  type DatasetPath,
  datasetIsArchived,
  datasetPathOf,
  readOwnDataset,
} from './dataset-access.ts';
export { type Dataset, findDataset, type LockedDataset } from './datasets.store.ts';
export { createDatasets, type Datasets } from './datasets-room.ts';
export { removeDatasetsOf } from './deleted-projects.ts';
export { countableOf, countingModel } from './example-tokens.ts';
export type { AddedExample } from './examples/add-examples.ts';
export { countLongExamples, findExample, type ListedExample } from './examples/example-list.store.ts';
export { type ExampleWire, exampleSchema, exampleToWire } from './examples/examples.schema.ts';
export type {
  ExampleTokenCounter,
  NewExample,
  PreparedExample,
  Split,
  StorableExample,
} from './examples/new-examples.ts';
export { type AssignedSplit, assignQuerySplits, findQuerySplits, type SplitChoice } from './examples/query-splits.ts';
export type { ReplacedExample } from './examples/replace-examples.ts';
export { findLiveContents } from './examples/same-content.store.ts';
export {
  findImportOrphans,
  type ImportOrphans,
  listNeededParts,
  listUnneededParts,
} from './imports/import-parts.store.ts';
export { createImports } from './imports/import-room.ts';
export type { ObjectLocation } from './imports/worker/protocol.ts';
export type { DatasetLimits } from './limits.ts';
export { countImports, hasDataset } from './overview.store.ts';
export { pageVersion, streamLines, streamVersion, type VersionExample } from './versions/version-content.ts';
export { type DatasetVersion, findVersion, type VersionPosition } from './versions/versions.store.ts';
