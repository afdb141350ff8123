import Type, { type Static } from 'typebox';
import { nullable, said } from '#http';
import { FieldError } from './field-error.ts';
import type { Outcome } from './known-events.ts';

const count = (english: string, chinese: string) => Type.Integer({ ...said(english, chinese), minimum: 0 });

export const reportAnswerSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      index: count('Place in the request.', '在请求中的位置。'),
      status: Type.Enum(['created', 'duplicate', 'rejected'], said('What became of it.', '处理结果。')),
      id: nullable(Type.String(), said('Id of the event; null when it was rejected.', '事件的 ID；被拒绝时为 null。')),
      judged: Type.Boolean(
        said(
          'Of a duplicate: its judgments were new, and the event has them now.',
          '对重复的事件：其中的新判断已并入原事件。',
        ),
      ),
      error: nullable(
        Type.Object({
          code: Type.String(
            said('The code that a request with this event alone gets.', '单独提交该事件时返回的错误码。'),
          ),
          message: Type.String(said('What is wrong, in English.', '错误说明（英文）。')),
          param: nullable(Type.String(), said('The field at fault.', '出错的字段。')),
        }),
        said('Why it was rejected.', '被拒绝的原因。'),
      ),
    }),
    said('One per event, in their order.', '与请求中的事件一一对应。'),
  ),
  created: count('Events that are new.', '新建的事件数。'),
  duplicates: count('Events that were there.', '已存在的事件数。'),
  rejected: count('Events that were not taken.', '被拒绝的事件数。'),
});

export type ReportAnswer = Static<typeof reportAnswerSchema>;

export function reportToWire(outcomes: readonly (Outcome | FieldError)[]): ReportAnswer {
  const results = outcomes.map(resultToWire);
  const countOf = (status: ReportAnswer['results'][number]['status']) =>
    results.reduce((sum, result) => sum + Number(result.status === status), 0);
  return { results, created: countOf('created'), duplicates: countOf('duplicate'), rejected: countOf('rejected') };
}

function resultToWire(outcome: Outcome | FieldError, index: number): ReportAnswer['results'][number] {
  if (outcome instanceof FieldError) {
    const { message, param } = outcome;
    const error = { code: 'invalid_request', message: `${param}: ${message}`, param };
    return { index, status: 'rejected', id: null, judged: false, error };
  }
  if (outcome.status === 'conflict') {
    const error = { code: 'conflict', message: outcome.message, param: `events[${index}].external_id` };
    return { index, status: 'rejected', id: null, judged: false, error };
  }
  const judged = outcome.status === 'duplicate' && outcome.isJudged;
  return { index, status: outcome.status, id: outcome.id, judged, error: null };
}
