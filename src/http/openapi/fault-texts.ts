/** When a fault of the catalogue occurs and what the caller can do, for the published contract. */
export type FaultText = { when: string; remedy: string };

const text = (when: string, remedy: string): FaultText => ({ when, remedy });

/** One text per row of the catalogue, by the name of its condition; a test compares both. */
export const faultTexts: Record<string, FaultText> = {
  invalid_request: text(
    'A value is not allowed, the body is not JSON, or a limit is exceeded. `param` names the field.',
    'Change the request; the same one fails again.',
  ),
  invalid_shape: text(
    'A value has the wrong type, or a required field is missing. `detail` lists the places.',
    'Correct the fields.',
  ),
  invalid_cursor: text(
    'The cursor belongs to another list, account or filter, or was changed.',
    'Start again from the first page.',
  ),
  context_length_exceeded: text(
    'The input, or the input with the tokens of the answer, exceeds the context of the model.',
    'Send fewer items or tools, or a smaller `max_output_tokens`; `truncation` `auto` leaves the oldest turns out.',
  ),
  previous_response_not_found: text(
    'The response that this one follows, or one before it, was not stored, or is gone.',
    'Send what was said before in `input`.',
  ),
  invalid_credentials: text(
    'The key is missing, malformed, unknown, deactivated or deleted, or the session has ended. One code for all of them, so that the state of a key does not leak.',
    'Send `Authorization: Bearer fnf_...` with an active key, or sign in.',
  ),
  insufficient_credits: text(
    'The account cannot cover the most that this call could cost. `details` has the amounts.',
    'Add credits, or lower `max_tokens`.',
  ),
  owner_required: text(
    'Somebody other than the owner changes a project or calls a base model.',
    'Call a hosted model, or ask the owner.',
  ),
  session_required: text('This needs a signed-in person, not an API key.', 'Sign in as a person.'),
  invalid_password: text(
    'The password that a change of the account asks for is wrong. The session stays.',
    'Enter the current password.',
  ),
  account_suspended: text('The operator has suspended the account.', 'Ask the operator.'),
  forbidden: text('The caller is known but may not do this.', 'Do not repeat it.'),
  not_found: text('Nothing is here, or the object belongs to somebody else.', 'Check the path and the id.'),
  project_not_found: text(
    'The project does not exist or is not visible to the account.',
    'Check owner and project in the base URL.',
  ),
  model_not_found: text(
    'The model is unknown, inactive, or a training job that has not finished.',
    'Take an id from the list of models.',
  ),
  artifact_not_found: text(
    'The file that a record stands for was removed or never written.',
    'Make it again, or ask the operator.',
  ),
  model_not_installed: text(
    'The catalogue lists the model, but its file is not on this machine.',
    'Run the command in the message.',
  ),
  method_not_allowed: text('The path exists, but not for this method.', 'Use a method from the `Allow` header.'),
  request_timeout: text('The header or the body arrived too slowly. Nothing was run.', 'Send it again, faster.'),
  state_conflict: text('The object is in a state that does not allow this.', 'Read the object, then decide.'),
  conflict: text(
    'A retrieval event has this `external_id` already and says something else.',
    'Send judgments only, or use another `external_id`.',
  ),
  slug_taken: text('An account or a project has this slug already.', 'Choose another slug.'),
  email_taken: text('An account has this e-mail address already.', 'Sign in, or use another address.'),
  alias_taken: text('A hosted model of the project has this alias already.', 'Choose another alias.'),
  kind_mismatch: text(
    'A text model in an embedding project, or the other way round.',
    'Use a project of the right kind.',
  ),
  in_use: text('Something that still runs needs the object. `details` tells what.', 'Wait for it, or cancel it.'),
  idempotency_conflict: text(
    'The account used this `Idempotency-Key` within a day for another path or body.',
    'Use a new key for a new request.',
  ),
  idempotency_in_progress: text(
    'The first request with this `Idempotency-Key` has not ended.',
    'Send it again with the same key, after a second.',
  ),
  embeddings_not_enabled: text(
    'An embedding or rerank call, or search feedback, in a text project.',
    'Use an embedding project.',
  ),
  api_version_required: text(
    'The path is retired. `detail.successor` and the `Link` header name its successor.',
    'Call the successor.',
  ),
  payload_too_large: text('The body is too large: more than 1 MiB, or than the operation says.', 'Send less.'),
  unsupported_media_type: text('The body is not `application/json`, or it is compressed.', 'Send plain JSON in UTF-8.'),
  ambiguous_transport: text(
    'The connection to the model broke and the outcome is unknown: the request may have been served and charged.',
    'Find out whether it was served before you send it again.',
  ),
  rate_limited: text(
    'A limit of the key or the account is reached, or there were too many tries in a span of time, of passwords above all. `RateLimit-Limit`, `-Remaining` and `-Reset` say more.',
    'Wait for the time in `Retry-After`; when a limit of credits is reached, for that in `RateLimit-Reset`.',
  ),
  headers_too_large: text('The header fields exceed 16 KiB.', 'Send fewer or shorter fields.'),
  internal_error: text('A defect on our side; the log has it under the request id.', 'Report the request id.'),
  generation_failed: text(
    'The model stopped while generating. In a stream this is the last frame, without `[DONE]`. It was not charged.',
    'Send it again if you wish.',
  ),
  model_warming: text('The model is being loaded.', 'Send it again after the time in `Retry-After`.'),
  capacity_unavailable: text(
    "The model's queue is full, or an answer would come too late.",
    'Send less at once; try later.',
  ),
  service_unavailable: text(
    'The database cannot be reached, the disk is full, or the service is stopping.',
    'Try later.',
  ),
};
