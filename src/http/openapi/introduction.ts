/** What holds for every operation: the first chapter of the document and of the reference. Texts are Markdown. */
export type Section = { id: string; title: string; text: string };

const section = (id: string, title: string, text: string): Section => ({ id, title, text });

export const introduction: readonly Section[] = [
  section(
    'addresses',
    'Addresses and versions',
    `Every path begins with its version: \`/api/v1/...\` for everything that is managed, \`/api/projects/{owner}/{project}/openai/v1/...\` for calls of models in the shape of the OpenAI API.

Within v1 changes only add: operations, optional request fields, response fields. Ignore response fields that you do not know. A breaking change would be a new major version beside this one. A retired path answers 410 with code \`api_version_required\`, its successor in \`detail.successor\` and in the \`Link\` header.`,
  ),
  section(
    'authentication',
    'Authentication',
    `Send an API key with every request: \`Authorization: Bearer fnf_...\`. A key belongs to an account and works with every project that the account may access. A deactivated or deleted key stops working at once. Routes under \`/api/projects/{owner}/{project}/anthropic\` also take it as \`x-api-key\`.

Operations under \`/api/v1\` also take the session of a signed-in browser; then every request other than GET needs the header \`x-fnf-csrf\` with the \`csrf_token\` of \`GET /api/v1/auth/session\`. When both are sent, the key counts. Operations marked public need neither.

Private objects of other accounts answer 404, as if they did not exist.`,
  ),
  section(
    'errors',
    'Errors',
    `Every error is JSON with the object \`error\`. Decide by \`error.code\`: codes never change their meaning. \`error.message\` is for people, \`error.param\` names the field at fault. Compatible routes use the envelope of the OpenAI family, or of Anthropic under \`/api/projects/{owner}/{project}/anthropic\`, where 422 is 400 and 503 is 529; all others add \`request_id\` and \`details\`. Status 422 and 410 carry a \`detail\` beside \`error\`.

Every answer has the header \`x-request-id\`. Name it when you ask for help.`,
  ),
  section(
    'retries',
    'Retries',
    `- Retry by yourself only after \`model_warming\`, and wait for the time in \`Retry-After\`.
- Never blindly retry \`ambiguous_transport\`: the request may have been served and charged.
- Do not send an unchanged request again after \`invalid_request\`.
- A failed request is not charged.`,
  ),
  section(
    'pages',
    'Pages',
    `Lists answer \`{data, next_cursor, total_count}\`. \`limit\` is 25 by default and 100 at most. Pass \`next_cursor\` as \`cursor\` to get the next page; null means that there is none. A cursor belongs to its list, its account or project and its filters: after changing a filter, start from the first page. Reused elsewhere it is 400 \`invalid_cursor\`.`,
  ),
  section(
    'writes',
    'Writing',
    `Bodies are JSON in UTF-8, not compressed, and at most 1 MiB unless the operation says otherwise. PATCH changes the fields that are sent. Unknown fields are ignored; under \`/api/v1\` their names come back in the header \`x-fnf-ignored-fields\`. Setting a state that already holds succeeds and changes nothing.

A value of the wrong JSON type and a missing field are 422; a value that is not allowed is 400.

Operations that take \`Idempotency-Key\` run once for each key: within 24 hours the same request gets the stored answer, with the header \`Idempotent-Replay: true\`.`,
  ),
  section(
    'values',
    'Values',
    `- Ids are opaque text with a prefix that tells their kind, such as \`key_\`.
- Times are RFC 3339 in UTC with milliseconds; compatible routes use Unix seconds, as OpenAI does.
- Credits are text with exactly six decimals, such as \`"0.000050"\`; do not read them as floating point.
- Durations are whole milliseconds.`,
  ),
];
