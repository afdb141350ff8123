/** One row per error a caller can meet. `docs/errors.md` lists the same rows; a test compares both directions. */
export type FaultRow = {
  /** `error.code` on the wire. */
  code: string;
  status: number;
  /** `error.type`: the family OpenAI clients know. */
  type: string;
  /** Default text for the caller; never contains internals. */
  message: string;
  /** `x-should-retry` header, for the openai clients that read it; null sends none. */
  shouldRetry: boolean | null;
};

const row = (status: number, code: string, type: string, message: string, shouldRetry: boolean | null = null) =>
  ({ code, status, type, message, shouldRetry }) satisfies FaultRow;

const invalid = 'invalid_request_error';

/**
 * The catalogue. Keys name the condition; two conditions may share a wire code (`invalid_request` and
 * `invalid_shape` both say `invalid_request`, with 400 and 422). Retired codes are never used again.
 */
export const faultRows = {
  invalid_request: row(400, 'invalid_request', invalid, 'The request is not valid.'),
  invalid_shape: row(422, 'invalid_request', invalid, 'A value has the wrong type or shape.', false),
  invalid_cursor: row(
    400,
    'invalid_cursor',
    invalid,
    'This cursor does not belong to this list. Start from the first page.',
  ),
  context_length_exceeded: row(
    400,
    'context_length_exceeded',
    invalid,
    'The input exceeds the context window of this model.',
  ),
  previous_response_not_found: row(
    400,
    'previous_response_not_found',
    invalid,
    'The previous response was not stored, or is gone.',
  ),
  invalid_credentials: row(401, 'invalid_credentials', 'authentication_error', 'No valid credentials were given.'),
  insufficient_credits: row(
    402,
    'insufficient_credits',
    'insufficient_quota',
    'The account has too few credits.',
    false,
  ),
  owner_required: row(403, 'owner_required', 'permission_error', 'Only the owner of the project may do this.'),
  session_required: row(403, 'session_required', 'permission_error', 'This needs a signed-in session, not an API key.'),
  invalid_password: row(403, 'invalid_password', 'permission_error', 'The current password is wrong.'),
  account_suspended: row(403, 'account_suspended', 'permission_error', 'This account is suspended.'),
  forbidden: row(403, 'forbidden', 'permission_error', 'This is not allowed.'),
  not_found: row(404, 'not_found', invalid, 'There is nothing here.'),
  project_not_found: row(404, 'project_not_found', invalid, 'There is no such project, or you may not use it.'),
  model_not_found: row(404, 'model_not_found', invalid, 'There is no such model, or you may not use it.'),
  artifact_not_found: row(404, 'artifact_not_found', invalid, 'There is no such file, or it is gone.'),
  model_not_installed: row(404, 'model_not_found', invalid, 'This model is listed but not installed.'),
  method_not_allowed: row(405, 'method_not_allowed', invalid, 'This path does not take this method.'),
  request_timeout: row(408, 'request_timeout', invalid, 'The request took too long to arrive.'),
  state_conflict: row(409, 'state_conflict', invalid, 'This is not possible in the present state.', false),
  conflict: row(409, 'conflict', invalid, 'Something else has this name already.', false),
  slug_taken: row(409, 'slug_taken', invalid, 'This slug is taken.', false),
  email_taken: row(409, 'email_taken', invalid, 'An account has this e-mail address already.', false),
  alias_taken: row(409, 'alias_taken', invalid, 'This alias is taken.', false),
  kind_mismatch: row(409, 'kind_mismatch', invalid, 'This does not fit the kind of the project.', false),
  in_use: row(409, 'in_use', invalid, 'Something that still runs needs this.', false),
  embeddings_not_enabled: row(409, 'embeddings_not_enabled', invalid, 'This project has no embeddings.', false),
  idempotency_conflict: row(
    409,
    'idempotency_conflict',
    invalid,
    'This Idempotency-Key was used for another request.',
    false,
  ),
  idempotency_in_progress: row(
    409,
    'idempotency_in_progress',
    invalid,
    'A request with this Idempotency-Key is still running. Send it again to get its answer.',
  ),
  api_version_required: row(410, 'api_version_required', invalid, 'This path is retired.', false),
  payload_too_large: row(413, 'payload_too_large', invalid, 'The body is too large.'),
  unsupported_media_type: row(
    415,
    'unsupported_media_type',
    invalid,
    'Send JSON: content-type application/json, not compressed.',
  ),
  ambiguous_transport: row(
    424,
    'ambiguous_transport',
    'invalid_response_error',
    'The outcome of this request is unknown; it may have been served.',
    false,
  ),
  rate_limited: row(429, 'rate_limited', 'rate_limit_error', 'Too many requests. Try again after Retry-After.', false),
  headers_too_large: row(431, 'headers_too_large', invalid, 'The header fields are too large.'),
  internal_error: row(500, 'internal_error', 'server_error', 'Something went wrong on our side.', false),
  generation_failed: row(
    500,
    'generation_failed',
    'invalid_response_error',
    'The model stopped unexpectedly while generating.',
    false,
  ),
  model_warming: row(
    503,
    'model_warming',
    'service_unavailable',
    'The model is starting up. Try again after the time in Retry-After.',
    true,
  ),
  capacity_unavailable: row(
    503,
    'capacity_unavailable',
    'service_unavailable',
    'The model has no capacity for this request at present.',
    false,
  ),
  service_unavailable: row(
    503,
    'service_unavailable',
    'service_unavailable',
    'The service cannot reach its database at present.',
    false,
  ),
} as const satisfies Record<string, FaultRow>;

export type FaultName = keyof typeof faultRows;

export type FaultOptions = {
  /** Replaces the row's message; shown to the caller. */
  message?: string;
  /** `error.param`: the field at fault. */
  param?: string;
  /** `error.details` on native routes. */
  details?: Record<string, unknown>;
  /** Top-level `detail`, beside `error` (422 and 410 only). */
  detail?: unknown;
  /** `Retry-After` in whole seconds, 1..59. */
  retryAfterSeconds?: number;
  /** Further response headers, lower case. */
  headers?: Record<string, string>;
  /** For the log only; never shown. */
  internal?: string;
  cause?: unknown;
};

/** An expected refusal. The message is for the caller, `internal` and `cause` are for the operator's log. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly fault: FaultName;
  readonly row: FaultRow;
  readonly options: FaultOptions;

  constructor(fault: FaultName, options: FaultOptions = {}) {
    super(options.message ?? faultRows[fault].message, { cause: options.cause });
    this.fault = fault;
    this.row = faultRows[fault];
    this.options = options;
  }
}

/** Makes a fault to throw: `throw fault('model_not_found', { param: 'model' })`. */
export function fault(name: FaultName, options: FaultOptions = {}): Fault {
  return new Fault(name, options);
}

/** The database or the object store is away: what was tried has failed through no fault of its own, and may work later. */
export function isUnavailableFault(error: unknown): boolean {
  return error instanceof Fault && error.fault === 'service_unavailable';
}

/** Ends an exhaustive switch; reaching it is a bug. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value ${JSON.stringify(value)}. This is a bug.`);
}
