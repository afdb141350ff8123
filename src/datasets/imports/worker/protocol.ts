import type { S3Location } from '#objects';

/** Where the objects are, for a process that opens the store itself. */
export type ObjectLocation = { kind: 'folder'; root: string } | { kind: 's3'; place: S3Location };

export type WorkBounds = {
  maxRows: number;
  maxTextBytes: number;
  maxRowBytes: number;
  maxColumns: number;
  /** Live examples that a dataset may have, datasets of a project, versions of a dataset. */
  maxExamples: number;
  maxDatasets: number;
  maxVersions: number;
};

export type WorkTarget<Counting> = {
  databaseUrl: string;
  objects: ObjectLocation;
  /** What the process needs to count tokens; null: no model is installed that could count. */
  counting: Counting | null;
};

export type WorkOrder<Counting> = WorkTarget<Counting> & {
  importId: string;
  bounds: WorkBounds;
  /** For what cannot be read as it comes. */
  tempDir: string;
};

/**
 * `alive` comes every second. `busy`: somebody else works at the import: try later. `unavailable`: try later, as the
 * database or the object store does not answer or the disk is full, which the operator should know.
 */
export type FromWorker =
  | { type: 'alive' }
  | { type: 'done' }
  | { type: 'busy' | 'unavailable'; message: string }
  | { type: 'failed'; message: string };
