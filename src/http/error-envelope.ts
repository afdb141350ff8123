import type { Fault, FaultRow } from '#kernel';

/** Says a text in the language of a document. */
type Say = (english: string, chinese: string) => { description: string };

type Schema = Record<string, unknown>;

/** How the clients of an interface are told of errors. */
export type ErrorEnvelope = {
  /** Of its schema in the published contract. */
  name: string;
  /** Paths whose errors are told so where no route is; null: none. */
  paths: RegExp | null;
  status: (problem: Fault) => number;
  /** The body of an error answer, as JSON text. */
  render: (problem: Fault, requestId: string) => string;
  /** Header fields of every answer, good or bad; left out: none of its own. */
  everyAnswer?: (requestId: string) => Record<string, string>;
  /** Header fields beyond those that every error has. */
  headers: (problem: Fault, requestId: string) => Record<string, string>;
  schema: (say: Say) => Schema;
  /** What the schema comes to for these conditions. */
  narrowed: (rows: readonly FaultRow[]) => Schema;
  /** It says in a header field whether to try again. */
  advisesRetries: boolean;
};

const statusOf = ({ row }: Fault) => row.status;

function withDetail(error: object, { options }: Fault): string {
  return JSON.stringify(options.detail === undefined ? { error } : { error, detail: options.detail });
}

const fields = (say: Say) => ({
  message: { type: 'string', ...say('What went wrong, for people.', '供人阅读的错误说明。') },
  type: { type: 'string', ...say('Family of the error, as OpenAI clients know it.', 'OpenAI 客户端所用的错误类别。') },
  param: { type: ['string', 'null'], ...say('The field at fault.', '出错的字段。') },
  code: {
    type: 'string',
    ...say('What went wrong, for programs. Codes never change their meaning.', '供程序判断的错误代码，含义永不改变。'),
  },
});

function schemaOf(properties: Schema, say: Say): Schema {
  const detail = say('Places of wrong types (422) or the successor (410).', '类型错误的位置（422）或替代路径（410）。');
  return {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'object', required: Object.keys(properties), properties }, detail },
  };
}

const narrowed = (rows: readonly FaultRow[]): Schema => ({
  properties: { error: { properties: { code: { enum: [...new Set(rows.map(({ code }) => code))] } } } },
});

/** Of OpenAI's interface. */
export const openAiErrors: ErrorEnvelope = {
  name: 'CompatError',
  paths: /^\/(api\/projects|v1|openai)\//,
  status: statusOf,
  render(problem) {
    const { row, options, message } = problem;
    return withDetail({ message, type: row.type, param: options.param ?? null, code: row.code }, problem);
  },
  headers: ({ row }): Record<string, string> =>
    row.shouldRetry === null ? {} : { 'x-should-retry': String(row.shouldRetry) },
  schema: (say) => schemaOf(fields(say), say),
  narrowed,
  advisesRetries: true,
};

/** Of the service's own interface: the fields of OpenAI's, and two more. */
export const nativeErrors: ErrorEnvelope = {
  name: 'Error',
  paths: null,
  status: statusOf,
  render(problem, requestId) {
    const { row, options, message } = problem;
    const { param = null, details = null } = options;
    return withDetail({ code: row.code, message, type: row.type, param, request_id: requestId, details }, problem);
  },
  headers: () => ({}),
  schema: (say) =>
    schemaOf(
      {
        ...fields(say),
        request_id: { type: 'string', ...say('Id of the request.', '请求 ID。') },
        details: { type: ['object', 'null'], ...say('Facts that depend on the code.', '随代码而异的具体信息。') },
      },
      say,
    ),
  narrowed,
  advisesRetries: false,
};
