import Type, { type Static } from 'typebox';
import { nullable } from '#http';
import { Fault } from '#kernel';
import type { ReportOutcome } from './known-events.ts';

const count = (description: string) => Type.Integer({ description, minimum: 0 });

export const reportAnswerSchema = Type.Object({
  results: Type.Array(
    Type.Object({
      index: count('Place in the request.'),
      status: Type.Enum(['created', 'duplicate', 'rejected'], { description: 'What became of it.' }),
      id: nullable(Type.String(), 'Id of the event; null when it was rejected.'),
      judged: Type.Boolean({ description: 'Of a duplicate: its judgments were new, and the event has them now.' }),
      error: nullable(
        Type.Object({
          code: Type.String({ description: 'The code that a request with this event alone gets.' }),
          message: Type.String({ description: 'What is wrong, in English.' }),
          param: nullable(Type.String(), 'The field at fault.'),
        }),
        'Why it was rejected.',
      ),
    }),
    { description: 'One per event, in their order.' },
  ),
  created: count('Events that are new.'),
  duplicates: count('Events that were there.'),
  rejected: count('Events that were not taken.'),
});

export type ReportAnswer = Static<typeof reportAnswerSchema>;

export function reportToWire(outcomes: readonly (ReportOutcome | Fault)[]): ReportAnswer {
  const results = outcomes.map(resultToWire);
  const countOf = (status: ReportAnswer['results'][number]['status']) =>
    results.reduce((sum, result) => sum + Number(result.status === status), 0);
  return { results, created: countOf('created'), duplicates: countOf('duplicate'), rejected: countOf('rejected') };
}

function resultToWire(outcome: ReportOutcome | Fault, index: number): ReportAnswer['results'][number] {
  if (outcome instanceof Fault) {
    const { row, message, options } = outcome;
    const error = { code: row.code, message, param: options.param ?? null };
    return { index, status: 'rejected', id: null, judged: false, error };
  }
  if (outcome.status === 'conflict') {
    const error = { code: 'conflict', message: outcome.message, param: `events[${index}].external_id` };
    return { index, status: 'rejected', id: null, judged: false, error };
  }
  const judged = outcome.status === 'duplicate' && outcome.isJudged;
  return { index, status: outcome.status, id: outcome.id, judged, error: null };
}
