import { readRfc3339 } from '#http';
import { charactersOf, type Fields, isStorable } from '#kernel';
import {
  type EventDetails,
  type EventResult,
  type Judgment,
  labels,
  limits,
  type ReportedEvent,
  signals,
} from './event.ts';
import { FieldError } from './field-error.ts';
import { readFields, readInteger, readList, readNumber, readOneOf, readOptionalText, readText } from './fields.ts';
import { refuseVectors, type UnknownFields } from './unknown-fields.ts';

/** Where an event stands in the body: in front of the names of its fields, and without indices. */
export type Place = { param: string; place: string };

export const wholeBody: Place = { param: '', place: '' };

/**
 * Reads an event by hand: a batch holds up to a hundred, each is refused for itself, and the refusal names the field.
 * Throws `FieldError`.
 */
export function readReport(value: unknown, at: Place, unknown: UnknownFields): ReportedEvent {
  const fields = readFields(value, at.param.slice(0, -1));
  for (const name in fields) if (!eventFields.has(name)) unknown.note(at.place + name, at.param + name, fields[name]);
  const results = readResults(fields.results, at, unknown);
  return {
    externalId: readOptionalText(fields.external_id, `${at.param}external_id`, limits.maxName),
    query: readSpoken(fields.query, `${at.param}query`, limits.maxQuery),
    results,
    judgments: readJudgments(fields.judgments, { at, results, unknown }),
    model: readOptionalText(fields.model, `${at.param}model`, limits.maxModel),
    details: readDetails(fields, at),
  };
}

const eventFields = new Set([
  ...['external_id', 'query', 'results', 'judgments', 'model', 'index_id', 'request_id', 'user_ref', 'occurred_at'],
  'metadata',
]);
const resultFields = new Set(['text', 'document_id', 'rank', 'score']);
const judgmentFields = new Set(['rank', 'document_id', 'label', 'signal', 'strength']);

/** A text that says something. */
function readSpoken(value: unknown, param: string, most: number): string {
  const text = readText(value, param, most);
  if (text.trim() === '') throw new FieldError('value', param, 'expected more than spaces');
  return text;
}

function readResults(value: unknown, at: Place, unknown: UnknownFields): EventResult[] {
  const items = readList(value, `${at.param}results`, [1, limits.maxResults]);
  const ranks = new Set<number>();
  let characters = 0;
  const results = items.map((item, index) => {
    const result = readResult(item, { param: `${at.param}results[${index}].`, place: `${at.place}results.` }, unknown);
    if (ranks.has(result.rank))
      throw new FieldError('value', `${at.param}results[${index}].rank`, 'another result has this rank');
    ranks.add(result.rank);
    characters += charactersOf(result.text);
    return result;
  });
  if (characters > limits.maxTexts)
    throw new FieldError(
      'value',
      `${at.param}results`,
      `expected at most ${limits.maxTexts} characters of text in all`,
    );
  return results.sort((a, b) => a.rank - b.rank);
}

function readResult(item: unknown, at: Place, unknown: UnknownFields): EventResult {
  const fields = readFields(item, at.param.slice(0, -1));
  for (const name in fields) if (!resultFields.has(name)) unknown.note(at.place + name, at.param + name, fields[name]);
  const { score } = fields;
  return {
    rank: readInteger(fields.rank, `${at.param}rank`, [1, limits.maxRank]),
    document_id: readOptionalText(fields.document_id, `${at.param}document_id`, limits.maxId),
    text: readSpoken(fields.text, `${at.param}text`, limits.maxText),
    score: score === undefined || score === null ? null : readNumber(score, `${at.param}score`),
  };
}

type Around = { at: Place; results: readonly EventResult[]; unknown: UnknownFields };

function readJudgments(value: unknown, { at, results, unknown }: Around): Judgment[] {
  if (value === undefined || value === null) return [];
  return readList(value, `${at.param}judgments`, [0, limits.maxJudgments]).map((item, index) => {
    const place = { param: `${at.param}judgments[${index}].`, place: `${at.place}judgments.` };
    return readJudgment(item, { at: place, results, unknown });
  });
}

function readJudgment(item: unknown, { at, results, unknown }: Around): Judgment {
  const fields = readFields(item, at.param.slice(0, -1));
  for (const name in fields)
    if (!judgmentFields.has(name)) unknown.note(at.place + name, at.param + name, fields[name]);
  const { signal, strength } = fields;
  return {
    ...readTarget(fields, { at, results }),
    label: readOneOf(fields.label, `${at.param}label`, labels),
    signal: signal === undefined || signal === null ? null : readOneOf(signal, `${at.param}signal`, signals),
    strength: strength === undefined || strength === null ? 1 : readShare(strength, `${at.param}strength`),
  };
}

/** Which result is judged: by rank, or by document. */
function readTarget(fields: Fields, { at, results }: Omit<Around, 'unknown'>): Pick<Judgment, 'rank' | 'document_id'> {
  const documentId = readOptionalText(fields.document_id, `${at.param}document_id`, limits.maxId);
  if (fields.rank === undefined || fields.rank === null) {
    if (documentId === null) throw new FieldError('missing', `${at.param}rank`, 'rank or document_id is missing');
    if (!results.some((result) => result.document_id === documentId))
      throw new FieldError('value', `${at.param}document_id`, 'no result has this document_id');
    return { rank: null, document_id: documentId };
  }
  const rank = readInteger(fields.rank, `${at.param}rank`, [1, limits.maxRank]);
  const result = results.find((each) => each.rank === rank);
  if (!result) throw new FieldError('value', `${at.param}rank`, 'no result has this rank');
  if (documentId !== null && documentId !== result.document_id)
    throw new FieldError('value', `${at.param}document_id`, 'the result of this rank has another document_id');
  return { rank, document_id: null };
}

function readShare(value: unknown, param: string): number {
  const share = readNumber(value, param);
  if (share < 0 || share > 1) throw new FieldError('value', param, 'expected a number from 0 to 1');
  return share;
}

function readDetails(fields: Fields, { param }: Place): EventDetails {
  return {
    index_id: readOptionalText(fields.index_id, `${param}index_id`, limits.maxName),
    request_id: readOptionalText(fields.request_id, `${param}request_id`, limits.maxName),
    user_ref: readOptionalText(fields.user_ref, `${param}user_ref`, limits.maxName),
    occurred_at: readTime(fields.occurred_at, `${param}occurred_at`),
    metadata: readMetadata(fields.metadata, `${param}metadata`),
  };
}

function readTime(value: unknown, param: string): string | null {
  if (value === undefined || value === null) return null;
  const time = readRfc3339(readText(value, param, limits.maxName));
  if (time === null) throw new FieldError('value', param, 'expected an RFC 3339 time');
  return time.toISOString();
}

function readMetadata(value: unknown, param: string): Record<string, string> {
  if (value === undefined || value === null) return {};
  const entries = Object.entries(readFields(value, param));
  if (entries.length > limits.metadataKeys)
    throw new FieldError('value', param, `expected at most ${limits.metadataKeys} keys`);
  const read = entries.map(([key, item]): [string, string] => {
    if (key === '' || charactersOf(key) > limits.metadataKey || !isStorable(key))
      throw new FieldError('value', param, `expected keys of 1 to ${limits.metadataKey} characters`);
    refuseVectors(`${param}.${key}`, item);
    return [key, readText(item, `${param}.${key}`, limits.metadataValue, 0)];
  });
  return Object.fromEntries(read.sort(([a], [b]) => (a < b ? -1 : 1)));
}
