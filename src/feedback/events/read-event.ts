import type { Static } from 'typebox';
import { createCheck, readRfc3339 } from '#http';
import { charactersOf, Fault, fault, isFields, isStorable } from '#kernel';
import { type EventResult, type Judgment, limits, type ReportedEvent } from './event.ts';
import { reportedEventSchema } from './reported.schema.ts';

const check = createCheck(reportedEventSchema);
type SentEvent = Static<typeof reportedEventSchema>;
type SentJudgment = NonNullable<SentEvent['judgments']>[number];

/** Reads an event. Throws `invalid_shape` or `invalid_request` with the path of the field. */
export function readReportedEvent(value: unknown): ReportedEvent {
  refuseUnusable(value, '');
  const problem = check(value);
  if (problem) throw problem;
  // as: it fits the schema.
  const sent = value as SentEvent;
  const results = readResults(sent.results);
  return {
    externalId: sent.external_id ?? null,
    query: sent.query,
    results: results.toSorted((a, b) => a.rank - b.rank),
    judgments: (sent.judgments ?? []).map((judgment, index) => readJudgment(judgment, `judgments[${index}]`, results)),
    model: sent.model ?? null,
    details: {
      index_id: sent.index_id ?? null,
      request_id: sent.request_id ?? null,
      user_ref: sent.user_ref ?? null,
      occurred_at: readTime(sent.occurred_at ?? null),
      metadata: Object.fromEntries(Object.entries(sent.metadata ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  };
}

/** The same for an event of a batch; `path` is where it stands. */
export function readEventAt(value: unknown, path: string): ReportedEvent | Fault {
  try {
    return readReportedEvent(value);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const { param } = error.options;
    const message = error.message.replace(/^body/, '');
    return fault(error.fault, {
      param: param ? `${path}.${param}` : path,
      message: `${path}${param ? '.' : ''}${message}`,
    });
  }
}

function readResults(sent: SentEvent['results']): EventResult[] {
  const ranks = new Set<number>();
  let characters = 0;
  for (const [index, { rank, text }] of sent.entries()) {
    if (ranks.has(rank)) throw invalid(`results[${index}].rank`, 'another result has this rank');
    ranks.add(rank);
    characters += charactersOf(text);
  }
  if (characters > limits.maxTexts)
    throw invalid('results', `expected at most ${limits.maxTexts} characters of text in all`);
  return sent.map(({ rank, document_id = null, text, score = null }) => ({ rank, document_id, text, score }));
}

function readJudgment(
  { rank = null, document_id: documentId = null, label, signal = null, strength }: SentJudgment,
  path: string,
  results: readonly EventResult[],
): Judgment {
  const rest = { label, signal, strength: strength ?? 1 };
  if (rank === null) {
    if (documentId === null) throw missing(`${path}.rank`, 'rank or document_id is missing');
    if (!results.some((result) => result.document_id === documentId))
      throw invalid(`${path}.document_id`, 'no result has this document_id');
    return { rank: null, document_id: documentId, ...rest };
  }
  const result = results.find((each) => each.rank === rank);
  if (!result) throw invalid(`${path}.rank`, 'no result has this rank');
  if (documentId !== null && documentId !== result.document_id)
    throw invalid(`${path}.document_id`, 'the result of this rank has another document_id');
  return { rank, document_id: null, ...rest };
}

function readTime(text: string | null): string | null {
  const time = text === null ? null : readRfc3339(text);
  if (text !== null && time === null) throw invalid('occurred_at', 'expected an RFC 3339 time');
  return time?.toISOString() ?? null;
}

const vectorName = /(^|_)(embeddings?|vectors?)$/i;
/** A list of at least so many numbers is a vector, whatever its name. */
const shortestVector = 16;

/**
 * Refuses text that cannot be stored, and vectors, also in unknown fields: only text becomes training data, and who
 * sends a vector expects something else.
 */
function refuseUnusable(value: unknown, path: string): void {
  if (typeof value === 'string' && !isStorable(value))
    throw invalid(path, 'holds a NUL character or half of a surrogate pair');
  if (isVector(value)) throw invalid(path, vectorMessage);
  if (Array.isArray(value)) for (const [index, item] of value.entries()) refuseUnusable(item, `${path}[${index}]`);
  else if (isFields(value))
    for (const name of Object.keys(value)) {
      const field = path === '' ? name : `${path}.${name}`;
      if (!isStorable(name)) throw invalid(path, 'a name holds a NUL character or half of a surrogate pair');
      if (value[name] != null && vectorName.test(name)) throw invalid(field, vectorMessage);
      refuseUnusable(value[name], field);
    }
}

const vectorMessage = 'vectors are not taken: only text becomes training data';

function isVector(value: unknown): boolean {
  return Array.isArray(value) && value.length >= shortestVector && value.every((item) => typeof item === 'number');
}

const plainName = /^[A-Za-z0-9_.-]{1,64}$/;
const mostNames = 20;

/** Names of fields that events do not have, for the header `x-fnf-ignored-fields`. `path` is empty or ends with a dot. */
export function unknownFieldsOf(event: unknown, path: string, names: Set<string>): void {
  const { properties } = reportedEventSchema;
  noteUnknown(event, properties, path, names);
  if (!isFields(event)) return;
  for (const [name, known] of [
    ['results', properties.results.items.properties],
    ['judgments', properties.judgments.anyOf[0].items.properties],
  ] as const) {
    const items = event[name];
    if (Array.isArray(items)) for (const item of items) noteUnknown(item, known, `${path}${name}.`, names);
  }
}

export function noteUnknown(value: unknown, known: object, path: string, names: Set<string>): void {
  if (!isFields(value)) return;
  for (const name in value)
    if (!Object.hasOwn(known, name) && plainName.test(name) && names.size < mostNames) names.add(path + name);
}

function invalid(param: string, message: string): Fault {
  return fault('invalid_request', { message: `${param || 'body'}: ${message}`, ...(param && { param }) });
}

function missing(param: string, message: string): Fault {
  const loc = ['body', ...param.split(/[.[\]]+/).map((name) => (/^\d+$/.test(name) ? Number(name) : name))];
  return fault('invalid_shape', {
    message: `${param}: ${message}`,
    param,
    detail: [{ type: 'missing', loc, msg: message }],
  });
}
