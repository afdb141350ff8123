import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, pageSchema, projectAddress, timestamp } from '#http';
import { endStates } from './request-log.store.ts';
import type { RequestRecord } from './request-record.ts';

const time = (description: string) => Type.Optional(Type.String({ description, format: 'date-time' }));
const name = (description: string, maxLength: number) =>
  Type.Optional(Type.String({ description, minLength: 1, maxLength }));

export const requestsQuery = Type.Object({
  ...pageQuery,
  from: time('Only calls that arrived at this time or later.'),
  to: time('Only calls that arrived before this time.'),
  project: projectAddress('Only calls of this project, `{owner}/{project}`.'),
  model: name('Only calls of this `model`, as it was asked for.', 200),
  key_id: name('Only calls with this API key.', 64),
  state: Type.Optional(Type.Enum([...endStates], { description: 'Only calls that ended so.' })),
  error_code: name('Only calls that failed with this code.', 100),
  route: name('Only calls of this operation, such as `chat.create`.', 100),
});

export const requestSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the request: its `x-request-id`.' }),
    route: nullable(
      Type.String(),
      'The operation that was called, such as `chat.create`; null when it is not known here.',
    ),
    project: nullable(
      Type.Object({
        owner: Type.String({ description: "Slug of the project's owner." }),
        slug: Type.String({ description: 'Slug of the project.' }),
      }),
      'The project that was called; null when it is not known here.',
    ),
    model: nullable(Type.String(), 'The `model` that was asked for; null when it is not known here.'),
    state: Type.Enum(['received', 'running', 'succeeded', 'failed', 'canceled', 'unknown'], {
      description:
        '`succeeded` and `canceled` (the caller left) were charged for what the model did. `failed` was not charged. `unknown`: the server process that worked on it ended, or could not learn whether the charge was made; `credits` tells what is known to be charged.',
    }),
    http_status: nullable(
      Type.Integer(),
      'Status of the answer; null without an answer. An error inside a stream comes after 200.',
    ),
    error_code: nullable(Type.String(), 'Code of the error, if it failed.'),
    error_message: nullable(Type.String(), 'What the caller was told, if it failed; at most 500 characters.'),
    key: nullable(
      Type.Object({
        id: Type.String({ description: 'Id of the key.' }),
        name: Type.String({ description: 'Its name at that time.' }),
      }),
      'The API key of the call; null for somebody who is signed in, and when it is not known here.',
    ),
    prompt_tokens: nullable(Type.Integer({ minimum: 0 }), 'Tokens of the prompt; null without a charge.'),
    completion_tokens: nullable(Type.Integer({ minimum: 0 }), 'Tokens of the answer; null without a charge.'),
    first_token_ms: nullable(
      Type.Integer({ minimum: 0 }),
      'Time from its arrival to the first piece of the answer, ms; null for an answer in one piece.',
    ),
    total_ms: nullable(Type.Integer({ minimum: 0 }), 'Time from its arrival to its end, ms; null when nobody knows.'),
    active_ms: Type.Integer({
      description: 'Time that the model worked on it, ms.',
      minimum: 0,
    }),
    credits: creditsText('What it was charged.'),
    created_at: timestamp('When it arrived.'),
    finished_at: nullable(timestamp('When it ended.'), 'Null while it runs.'),
  },
  { $id: 'RequestRecord', description: 'What became of a call of a model.' },
);

export const requestPageSchema = Type.Object({
  ...pageSchema(requestSchema).properties,
  total_count_is_exact: Type.Boolean({
    description: 'False: `total_count` counts only those of the latest 1,000 calls of the account, or of its failures.',
  }),
});

export function requestToWire(record: RequestRecord): Static<typeof requestSchema> {
  return {
    id: record.id,
    route: record.route,
    project: record.project,
    model: record.model,
    state: record.state,
    http_status: record.httpStatus,
    error_code: record.errorCode,
    error_message: record.errorMessage,
    key: record.key,
    prompt_tokens: record.promptTokens,
    completion_tokens: record.completionTokens,
    first_token_ms: record.firstTokenMs,
    total_ms: record.totalMs,
    active_ms: record.activeMs,
    credits: record.credits,
    created_at: record.createdAt.toISOString(),
    finished_at: record.finishedAt?.toISOString() ?? null,
  };
}
