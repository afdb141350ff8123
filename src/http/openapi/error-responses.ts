import { type FaultName, type FaultOptions, fault, faultRows } from '#kernel';
import { renderFault, type WireShape } from '../render-fault.ts';
import { faultTexts } from './fault-texts.ts';
import { type HeaderName, headerRefs } from './headers.ts';
import type { ExampleObject, JsonSchema, Language, Ref, ResponseObject } from './model.ts';
import { describe } from './write-schema.ts';

/** Error answers of a document: each combination of conditions is one component, shared by the routes that have it. */
export type ErrorResponses = {
  /** Answers for these conditions, by status. */
  refs: (faults: readonly FaultName[], shape: WireShape) => Record<string, Ref>;
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

  function refTo(faults: readonly FaultName[], shape: WireShape): Ref {
    const name = componentName(faults, shape);
    if (!components.has(name)) components.set(name, errorResponse(faults, shape, language));
    return { $ref: `#/components/responses/${name}` };
  }

  return {
    refs: (faults, shape) =>
      Object.fromEntries(
        byStatus(faults).map(([status, group]) => [
          status,
          refTo(group, group.every((name) => beforeRouting.has(name)) ? 'native' : shape),
        ]),
      ),
    components: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

/** The components that the error answers refer to. */
export function errorSchemas(language: Language): Record<string, JsonSchema> {
  const say = (english: string, chinese: string) => ({ description: language === 'zh' ? chinese : english });
  const compat = {
    message: { type: 'string', ...say('What went wrong, for people.', '供人阅读的错误说明。') },
    type: {
      type: 'string',
      ...say('Family of the error, as OpenAI clients know it.', 'OpenAI 客户端所用的错误类别。'),
    },
    param: { type: ['string', 'null'], ...say('The field at fault.', '出错的字段。') },
    code: {
      type: 'string',
      ...say(
        'What went wrong, for programs. Codes never change their meaning.',
        '供程序判断的错误代码，含义永不改变。',
      ),
    },
  };
  const detail = say('Places of wrong types (422) or the successor (410).', '类型错误的位置（422）或替代路径（410）。');
  const envelope = (properties: Record<string, JsonSchema>) => ({
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'object', required: Object.keys(properties), properties }, detail },
  });
  return {
    CompatError: envelope(compat),
    Error: envelope({
      ...compat,
      request_id: { type: 'string', ...say('Id of the request.', '请求 ID。') },
      details: { type: ['object', 'null'], ...say('Facts that depend on the code.', '随代码而异的具体信息。') },
    }),
  };
}

function byStatus(faults: readonly FaultName[]): [status: number, faults: FaultName[]][] {
  const groups = Map.groupBy(Object.keys(faultRows).filter(isIn(faults)), (name) => faultRows[name].status);
  return [...groups].sort(([a], [b]) => a - b);
}

/** In the order of the catalogue, so that equal sets have equal names. */
function isIn(faults: readonly FaultName[]) {
  const names: ReadonlySet<string> = new Set(faults);
  return (name: string): name is FaultName => names.has(name);
}

function componentName(faults: readonly FaultName[], shape: WireShape): string {
  const [first] = faults;
  if (!first) throw new Error('An answer without a condition. This is a bug.');
  return [shape === 'compat' ? 'CompatError' : 'Error', faultRows[first].status, ...faults].join('.');
}

function errorResponse(faults: readonly FaultName[], shape: WireShape, language: Language): ResponseObject {
  const codes = [...new Set(faults.map((name) => faultRows[name].code))];
  const base = { $ref: `#/components/schemas/${shape === 'compat' ? 'CompatError' : 'Error'}` };
  const narrowed = { properties: { error: { properties: { code: { enum: codes } } } } };
  return {
    description: faults
      .map((name) => (faults.length > 1 ? `- ${oneFault(name, language)}` : oneFault(name, language)))
      .join('\n'),
    headers: headerRefs(headersOf(faults, shape)),
    content: {
      'application/json': {
        schema: { allOf: [base, narrowed] },
        examples: Object.fromEntries(faults.map((name) => [name, example(name, shape)])),
      },
    },
  };
}

function oneFault(name: FaultName, language: Language): string {
  const text = faultTexts[name];
  const { code, message } = faultRows[name];
  const gap = language === 'zh' ? '' : ' ';
  return `\`${code}\`: ${text ? describe(text.when, language) + gap + describe(text.remedy, language) : message}`;
}

function example(name: FaultName, shape: WireShape): ExampleObject {
  return { value: JSON.parse(renderFault(fault(name, samples[name]), shape, sampleRequestId)) };
}

function headersOf(faults: readonly FaultName[], shape: WireShape): HeaderName[] {
  const rows = faults.map((name) => faultRows[name]);
  const has = (status: number) => rows.some((row) => row.status === status);
  return [
    'RequestId',
    ...(has(503) || has(429) ? (['RetryAfter'] as const) : []),
    ...(shape === 'compat' && rows.some((row) => row.shouldRetry !== null) ? (['ShouldRetry'] as const) : []),
    ...(has(401) ? (['WwwAuthenticate'] as const) : []),
    ...(has(429) ? (['RateLimitLimit', 'RateLimitRemaining', 'RateLimitReset'] as const) : []),
  ];
}
