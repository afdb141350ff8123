import Type, { type Static } from 'typebox';
import { creditsText, nullable, timestamp } from '#http';
import type { RequestRecord } from './request-record.ts';

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

export function requestToWire(record: RequestRecord): Static<typeof requestSchema> {
  return {
    id: record.id,
    route: record.route,
    project: record.project,
    model: record.model,
    state: record.state,
    http_status: record.httpStatus,
    error_code: record.errorCode,
    active_ms: record.activeMs,
    credits: record.credits,
    created_at: record.createdAt.toISOString(),
    finished_at: record.finishedAt?.toISOString() ?? null,
  };
}
