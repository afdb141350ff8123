import { type FaultName, type FaultOptions, fault, faultRows } from '#kernel';
import { type ErrorEnvelope, nativeErrors } from '../error-envelope.ts';
import { faultTexts } from './fault-texts.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import { localize } from './localize.ts';
import type { ExampleObject, JsonSchema, Language, Ref, ResponseObject } from './model.ts';
import type { SchemaWriter } from './write-schema.ts';

/** Error answers of a document: each combination of conditions is one component, shared by the routes that have it. */
export type ErrorResponses = {
  /** Answers for these conditions, by status. */
  refs: (faults: readonly FaultName[], envelope: ErrorEnvelope) => Record<string, Ref>;
  components: () => Record<string, ResponseObject>;
};

/** These are answered before it is known whose route is meant, always in the native envelope. */
const beforeRouting: ReadonlySet<FaultName> = new Set(['request_timeout', 'headers_too_large']);

const sampleRequestId = 'req_01J9ZK3V5W7X8Y9A0B1C2D3E4F';

/** What typically stands in the answer; the rest is the catalogue's own text. */
const samples: Partial<Record<FaultName, FaultOptions>> = {
  invalid_request: { param: 'name', message: 'name: must not have more than 80 characters.' },
  invalid_cursor: { param: 'cursor' },
  invalid_shape: {
    param: 'name',
    message: 'name: must be string.',
    detail: [{ type: 'string_type', loc: ['body', 'name'], msg: 'must be string' }],
  },
  insufficient_credits: { details: { required: '0.000350', available: '0.000100' } },
  model_not_found: { param: 'model' },
  model_not_installed: { param: 'model' },
  owner_required: { param: 'model' },
};

export function createErrorResponses(language: Language): ErrorResponses {
  const components = new Map<string, ResponseObject>();

  function refTo(faults: readonly FaultName[], envelope: ErrorEnvelope): Ref {
    const name = componentName(faults, envelope);
    if (!components.has(name)) components.set(name, errorResponse(faults, envelope, language));
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    refs: (faults, envelope) =>
      Object.fromEntries(
        byStatus(faults, envelope).map(([status, group]) => [
          status,
          refTo(group, group.every((name) => beforeRouting.has(name)) ? nativeErrors : envelope),
        ]),
      ),
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The components that the error answers refer to. */
export function errorSchemas(schemas: SchemaWriter, envelopes: Iterable<ErrorEnvelope>): Record<string, JsonSchema> {
  return Object.fromEntries([...envelopes].map((each) => [each.name, schemas.write(each.schema)]).sort());
}

function byStatus(faults: readonly FaultName[], envelope: ErrorEnvelope): [status: number, faults: FaultName[]][] {
  const groups = Map.groupBy(Object.keys(faultRows).filter(isIn(faults)), (name) => envelope.status(fault(name)));
  return [...groups].sort(([a], [b]) => a - b);
}

/** In the order of the catalogue, so that equal sets have equal names. */
function isIn(faults: readonly FaultName[]) {
  const names: ReadonlySet<string> = new Set(faults);
  return (name: string): name is FaultName => names.has(name);
}

function componentName(faults: readonly FaultName[], envelope: ErrorEnvelope): string {
  const [first] = faults;
  if (!first) throw new Error('An answer without a condition. This is a bug.');
  return [envelope.name, envelope.status(fault(first)), ...faults].join('.');
}

function errorResponse(faults: readonly FaultName[], envelope: ErrorEnvelope, language: Language): ResponseObject {
  const base = { $ref: `#/components/schemas/${envelope.name}` };
  const narrowed = envelope.narrowed(faults.map((name) => faultRows[name]));
  return {
    description: faults
      .map((name) => (faults.length > 1 ? `- ${oneFault(name, language)}` : oneFault(name, language)))
      .join('\n'),
    headers: headerRefs(headersOf(faults, envelope)),
    content: {
      'application/json': {
        schema: { allOf: [base, narrowed] },
        examples: Object.fromEntries(faults.map((name) => [name, example(name, envelope)])),
      },
    },
  };
}

function oneFault(name: FaultName, language: Language): string {
  const text = faultTexts[name];
  const { code, message } = faultRows[name];
  const gap = language === 'zh' ? '' : ' ';
  return `\`${code}\`: ${text ? localize(text.when, language) + gap + localize(text.remedy, language) : message}`;
}

function example(name: FaultName, envelope: ErrorEnvelope): ExampleObject {
  return { value: JSON.parse(envelope.render(fault(name, samples[name]), sampleRequestId)) };
}

function headersOf(faults: readonly FaultName[], envelope: ErrorEnvelope): HeaderName[] {
  const rows = faults.map((name) => faultRows[name]);
  const has = (status: number) => rows.some((row) => row.status === status);
  return [
    'RequestId',
    ...(has(503) || has(429) ? (['RetryAfter'] as const) : []),
    ...(envelope.advisesRetries && rows.some((row) => row.shouldRetry !== null) ? (['ShouldRetry'] as const) : []),
    ...(has(401) ? (['WwwAuthenticate'] as const) : []),
    ...(has(429) ? (['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'] as const) : []),
  ];
}
