import type { Fault, FaultRow } from '#kernel';

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
  schema: Schema;
  /** What the schema comes to for these conditions. */
  narrowed: (rows: readonly FaultRow[]) => Schema;
  /** It says in a header field whether to try again. */
  advisesRetries: boolean;
};

const statusOf = ({ row }: Fault) => row.status;

function withDetail(error: object, { options }: Fault): string {
  return JSON.stringify(options.detail === undefined ? { error } : { error, detail: options.detail });
}

const fields = {
  message: { type: 'string', description: 'What went wrong, for people.' },
  type: { type: 'string', description: 'Family of the error, as OpenAI clients know it.' },
  param: { type: ['string', 'null'], description: 'The field at fault.' },
  code: {
    type: 'string',
    description: 'What went wrong, for programs. Codes never change their meaning.',
  },
};

function schemaOf(properties: Schema): Schema {
  const detail = { description: 'Places of wrong types (422) or the successor (410).' };
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
  schema: schemaOf(fields),
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
  schema: schemaOf({
    ...fields,
    request_id: { type: 'string', description: 'Id of the request.' },
    details: { type: ['object', 'null'], description: 'Facts that depend on the code.' },
  }),
  narrowed,
  advisesRetries: false,
};
