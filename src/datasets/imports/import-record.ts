import type { Static } from 'typebox';
import type { Actor } from '#activity';
import type { ExampleKind } from '../content/example-content.ts';
import type { Issue } from '../content/issues.ts';
import type { countsSchema, optionsSchema } from './import-terms.schema.ts';
import type { WireMapping } from './mapping/mapping.ts';
import type { issueSchema, profileSchema } from './profile.schema.ts';
import type { ImportFailureCode } from './reading/import-failure.ts';
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
  /** Of a workbook. */
  sheet: string | null;
  sampleRows: number;
  /** Null: the one that fits the detected shape. */
  mapping: WireMapping | null;
};

/** These are stored in the form of the interface. */
export type ImportOptions = Static<typeof optionsSchema>;
export type RowCounts = Static<typeof countsSchema>;
export type ImportProfile = Static<typeof profileSchema>;

export const defaultOptions: ImportOptions = { on_invalid: 'reject', dedupe: 'exact', test_ratio: 0.2, split_seed: 0 };

export const noRows: RowCounts = { rows: 0, valid: 0, invalid: 0, duplicates: 0, over_token_limit: 0 };

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

export type SourceIssue = Static<typeof issueSchema>;

export type ImportResult = { version_id: string | null; examples_added: number; rows_skipped: number };

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
  profileNumber: number;
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
  result: ImportResult | null;
  error: ImportError | null;
  createdBy: Actor;
  requestId: string | null;
  expiresAt: Date | null;
  finishedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};
