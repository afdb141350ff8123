/** What calls of models fail with. Others are chosen by a link in a request. */
export const errorCodes = [
  'invalid_request',
  'model_not_found',
  'project_not_found',
  'context_length_exceeded',
  'kind_mismatch',
  'insufficient_credits',
  'rate_limited',
  'model_warming',
  'capacity_unavailable',
  'generation_failed',
  'ambiguous_transport',
  'request_timeout',
  'service_unavailable',
  'internal_error',
] as const;
