import Type, { type Static } from 'typebox';
import { creditsText, nullable, said, timestamp } from '#http';
import type { RequestRecord } from './request-record.ts';

export const requestSchema = Type.Object(
  {
    id: Type.String(said('Id of the request: its `x-request-id`.', '请求的 ID，即其 `x-request-id`。')),
    route: nullable(
      Type.String(),
      said(
        'The operation that was called, such as `chat.create`; null when it is not known here.',
        '被调用的操作，例如 `chat.create`；此处未知时为 null。',
      ),
    ),
    project: nullable(
      Type.Object({
        owner: Type.String(said("Slug of the project's owner.", '项目所有者的 slug。')),
        slug: Type.String(said('Slug of the project.', '项目的 slug。')),
      }),
      said('The project that was called; null when it is not known here.', '被调用的项目；此处未知时为 null。'),
    ),
    model: nullable(
      Type.String(),
      said('The `model` that was asked for; null when it is not known here.', '请求中的 `model`；此处未知时为 null。'),
    ),
    state: Type.Enum(
      ['received', 'running', 'succeeded', 'failed', 'canceled', 'unknown'],
      said(
        '`succeeded` and `canceled` (the caller left) were charged for what the model did. `failed` was not charged. `unknown`: the server process that worked on it ended, or could not learn whether the charge was made; `credits` tells what is known to be charged.',
        '`succeeded` 和 `canceled`（调用方断开）按模型实际完成的工作计费；`failed` 不计费。`unknown` 表示处理它的服务进程已终止，或无法确认是否已计费；`credits` 为已知的计费额度。',
      ),
    ),
    http_status: nullable(
      Type.Integer(),
      said(
        'Status of the answer; null without an answer. An error inside a stream comes after 200.',
        '响应的状态码；没有响应时为 null。流式响应中途出错时状态码仍为 200。',
      ),
    ),
    error_code: nullable(Type.String(), said('Code of the error, if it failed.', '失败时的错误代码。')),
    active_ms: Type.Integer({
      ...said('Time that the model worked on it, ms.', '模型为其工作的时间（毫秒）。'),
      minimum: 0,
    }),
    credits: creditsText(said('What it was charged.', '实际扣除的额度。')),
    created_at: timestamp(said('When it arrived.', '请求到达的时间。')),
    finished_at: nullable(
      timestamp(said('When it ended.', '结束时间。')),
      said('Null while it runs.', '仍在运行时为 null。'),
    ),
  },
  { $id: 'RequestRecord', ...said('What became of a call of a model.', '一次模型调用的结果。') },
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
