/** Why an import cannot be done, in words for its owner. Anything else that is thrown is a bug or an outage. */
export class ImportFailure extends Error {
  override readonly name = 'ImportFailure';
  readonly code: FailureCode;
  readonly hint: string | null;
  readonly details: Record<string, unknown>;

  constructor(code: FailureCode, message: string, more: { hint?: string; details?: Record<string, unknown> } = {}) {
    super(message);
    this.code = code;
    this.hint = more.hint ?? null;
    this.details = more.details ?? {};
  }
}

export type FailureCode =
  | 'wrong_format'
  | 'unreadable'
  | 'bad_compression'
  | 'too_large'
  | 'too_many_rows'
  | 'too_many_columns'
  | 'unknown_encoding'
  | 'row_too_large'
  | 'empty_file'
  | 'file_changed'
  | 'dataset_unavailable'
  | 'dataset_full'
  | 'invalid_rows'
  | 'tokenizer_unavailable'
  | 'worker_lost'
  | 'internal_error';
