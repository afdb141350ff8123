export { canonicalJson } from './content/canonical-json.ts';
export {
  type Checked,
  checkExample,
  contentHash,
  type EmbeddingContent,
  type ExampleContent,
  type ExampleKind,
  type ExampleMessage,
  type ExampleTool,
  type ExampleToolCall,
  type Passage,
  type TextContent,
} from './content/example-content.ts';
export { type Issue, type IssueCode, isFatal } from './content/issues.ts';
export { type SearchTerm, searchTerms, searchWords } from './content/search-words.ts';
export { changeOwnDataset, type DatasetPath, lockForChange, readOwnDataset } from './dataset-access.ts';
export type { DatasetAuthor } from './dataset-activity.ts';
export { type Dataset, findDataset, type LockedDataset } from './datasets.store.ts';
export { createDatasets, type Datasets, type DatasetsOptions } from './datasets-room.ts';
export type { AddedExample } from './examples/add-examples.ts';
export type { BulkCounts } from './examples/bulk-add.ts';
export { findExample, type ListedExample } from './examples/example-list.store.ts';
export { type ExampleWire, exampleSchema, exampleToWire } from './examples/examples.schema.ts';
export {
  type NewExample,
  type Origin,
  type PreparedExample,
  type Split,
  type StorableExample,
  storable,
  type TokenRuler,
} from './examples/new-examples.ts';
export type { ReplacedExample, Replacement } from './examples/replace-examples.ts';
export { findLiveContents } from './examples/same-content.store.ts';
export { createImports, type Imports, type ImportsOptions } from './imports/import-room.ts';
export { findStrayImportObjects, type StrayKeys } from './imports/stray-objects.store.ts';
export type { ObjectPlace } from './imports/worker/protocol.ts';
export type { DatasetLimits } from './limits.ts';
export { countImports, hasDataset } from './overview.store.ts';
export { countableOf, countingModel } from './token-ruler.ts';
export { pageVersion, streamLines, streamVersion, type VersionExample } from './versions/version-content.ts';
export {
  type DatasetVersion,
  findVersion,
  type VersionPosition,
  type VersionSource,
} from './versions/versions.store.ts';
export type { Frozen } from './versions/versions.ts';
