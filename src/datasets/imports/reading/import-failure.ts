/** What can be wrong with an import as a whole; these names are on the wire, and the guide of imports explains each. */
export const failureCodes = [
  'wrong_format',
  'unreadable',
  'bad_compression',
  'too_large',
  'too_many_rows',
  'too_many_columns',
  'unknown_encoding',
  'unknown_sheet',
  'row_too_large',
  'empty_file',
  'file_changed',
  'dataset_unavailable',
  'dataset_full',
  'storage_full',
  'worker_lost',
  'internal_error',
] as const;

export type ImportFailureCode = (typeof failureCodes)[number];

/** Why an import cannot be done, in words for its owner. Anything else that is thrown is a bug or an outage. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure';
  readonly code: ImportFailureCode;
  readonly hint: string | null;
  readonly details: Record<string, unknown>;

  constructor(
    code: ImportFailureCode,
    message: string,
    more: { hint?: string; details?: Record<string, unknown> } = {},
  ) {
    super(message);
    this.code = code;
    this.hint = more.hint ?? null;
    this.details = more.details ?? {};
  }
}
