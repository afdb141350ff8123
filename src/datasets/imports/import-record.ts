import type { Actor } from '#activity';
import type { ExampleKind } from '../content/example-content.ts';
import type { Issue, IssueCode } from '../content/issues.ts';
import type { Shape } from './mapping/detect-shape.ts';
import type { WireMapping } from './mapping/mapping.ts';
import type { ImportFailureCode } from './reading/import-failure.ts';
import type { DetectedFormat } from './reading/open-rows.ts';
import type { FileFormat } from './reading/source-row.ts';

/*
 *   awaiting_upload -> uploaded       the last byte is there and the digest is right
 *   uploaded -> profiling             a worker begins to read
 *   profiling -> ready | failed       every row was read
 *   ready -> profiling                another profile was requested
 *   ready -> importing                confirmed
 *   importing -> completed | failed   one transaction, with this change of state in it
 *   importing -> canceling -> canceled
 *   everything before importing -> canceled; awaiting_upload and ready -> expired
 */
export const importStates = [
  'awaiting_upload',
  'uploaded',
  'profiling',
  'ready',
  'importing',
  'canceling',
  'completed',
  'failed',
  'canceled',
  'expired',
] as const;

export type ImportState = (typeof importStates)[number];

/** How the caller wants the file to be read; null: detected. */
export type ReaderOptions = {
  format: FileFormat | null;
  encoding: string | null;
  delimiter: string | null;
  sampleRows: number;
  /** Null: the one that fits the detected shape. */
  mapping: WireMapping | null;
};

export type ImportOptions = {
  onInvalid: 'reject' | 'skip';
  dedupe: 'none' | 'exact';
  testRatio: number;
  splitSeed: number;
};

export const defaultOptions: ImportOptions = { onInvalid: 'reject', dedupe: 'exact', testRatio: 0.2, splitSeed: 0 };

export type RowCounts = { rows: number; valid: number; invalid: number; duplicates: number; overTokenLimit: number };

export type TokenSummary = { min: number; p50: number; p95: number; max: number; total: number };

/** How many rows have from `from` to `to` tokens, both included. */
export type TokenBin = { from: number; to: number; rows: number };

export type ColumnProfile = { name: string; type: string; nullCount: number; samples: string[] };

export type IssueSummary = { code: IssueCode; count: number; firstLine: number };

export type ImportProfile = DetectedFormat & {
  columns: ColumnProfile[];
  shape: Shape;
  suggestedMapping: WireMapping | null;
  counts: RowCounts;
  tokenStats: TokenSummary;
  tokenHistogram: TokenBin[];
  issues: IssueSummary[];
};

/** A row that previews show. */
export type SampleRow = {
  line: number;
  byteOffset: number | null;
  /** Without what PostgreSQL does not take; null: the row could not be read. */
  fields: Readonly<Record<string, unknown>> | null;
  /** As they were found in the row as the file has it. */
  issues: Issue[];
  excerpt: string;
  tokens: number | null;
};

/** An issue with its location in the file. */
export type SourceIssue = {
  line: number;
  byte_offset: number | null;
  pointer: string;
  code: IssueCode;
  message: string;
  hint: string | null;
  excerpt: string;
};

export type ImportError = {
  code: ImportFailureCode;
  message: string;
  hint: string | null;
  details: Record<string, unknown>;
};

export type ImportRecord = {
  id: string;
  projectId: string;
  kind: ExampleKind;
  datasetId: string | null;
  datasetName: string | null;
  state: ImportState;
  fileName: string;
  sizeBytes: number;
  receivedBytes: number;
  expectedSha256: string | null;
  sha256: string | null;
  readerOptions: ReaderOptions;
  reading: number;
  profile: ImportProfile | null;
  mapping: WireMapping | null;
  options: ImportOptions;
  counts: RowCounts | null;
  phase: string | null;
  rowsDone: number;
  rowsTotal: number | null;
  percent: number | null;
  attempts: number;
  issuesKey: string | null;
  tokensKey: string | null;
  result: { versionId: string | null; examplesAdded: number; rowsSkipped: number } | null;
  error: ImportError | null;
  createdBy: Actor;
  requestId: string | null;
  expiresAt: Date | null;
  finishedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};
