import type { S3Place } from '#objects';

/** Where the objects are, for a process that opens the store itself. */
export type ObjectPlace = { kind: 'folder'; root: string } | { kind: 's3'; place: S3Place };

/** Bounds of what a worker reads and writes. */
export type WorkBounds = {
  maxRows: number;
  /** After decompression. */
  maxTextBytes: number;
  maxRowBytes: number;
  maxColumns: number;
  /** Live examples that a dataset may have, datasets of a project, versions of a dataset. */
  maxExamples: number;
  maxDatasets: number;
  maxVersions: number;
};

export type WorkOrder<Counting> = {
  importId: string;
  databaseUrl: string;
  objects: ObjectPlace;
  bounds: WorkBounds;
  /** For what cannot be read as it comes. */
  tempDir: string;
  /** For what another order may use again. */
  keptDir: string;
  /** What the process needs to count tokens; null: no model is installed that could count. */
  counting: Counting | null;
};

export type ToWorker<Counting> = { type: 'start'; order: WorkOrder<Counting> };

/**
 * `alive` comes every second. `again`: somebody else works at the import, or the database does not answer: try later.
 */
export type FromWorker =
  | { type: 'alive'; rssBytes: number }
  | { type: 'done' }
  | { type: 'again'; message: string }
  | { type: 'failed'; message: string };
