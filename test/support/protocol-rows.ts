import { type FaultName, faultRows } from '#kernel';
import { bearer } from './accounts.ts';
import {
  at,
  type Counted,
  countedByAnthropic,
  countedByCohere,
  countedByOpenAi,
  countedByResponses,
  endsWith,
  errorIn,
  framesOf,
  joined,
  listAt,
} from './read-answer.ts';

/** What a call asks for; every protocol says it in its own words. */
export type Asked = {
  /** Default: the alias of the project. */
  model?: string;
  text?: string;
  /** Most tokens of the answer; embeddings have none. */
  maxTokens?: number;
  stream?: boolean;
  /** The answer has at least so many times the words "and so on", where the protocol has grammars (`keepsLong`). */
  longFor?: number;
  /** Further fields, as the protocol names them. */
  extra?: object;
};

type Filled = Required<Pick<Asked, 'model' | 'text' | 'maxTokens' | 'stream'>> & {
  /** Schema that the answer must have. */
  schema: object | null;
};

/** How clients read an answer: a body in one piece, or all that a stream has sent. */
export type Reading = {
  /** They take it for a good answer that has ended. */
  isWhole: (answer: string) => boolean;
  counted: (answer: string) => Counted;
  /** What the model wrote. */
  said: (answer: string) => string;
};

/** What tests know of a protocol, all of it as its clients do. */
export type ProtocolRow = {
  name: string;
  operation: string;
  kind: 'text' | 'embedding';
  /** A project that tenants have, with an alias of the same name. */
  project: 'chat' | 'search';
  /** Behind `/api/projects/{owner}/{project}/`. */
  path: string;
  /** Every way to send a key. */
  keys: readonly ((key: string) => Record<string, string>)[];
  body: (asked: Filled) => object;
  /** Answers can be kept long by a schema. */
  keepsLong: boolean;
  whole: Reading;
  /** Null: it does not stream. */
  stream: Reading | null;
  /** What is said of a text that no context holds. */
  tooLong: FaultName;
  /** The words by which its clients know so. */
  tooLongWords: RegExp;
  /** An answer that is asked to be longer than the context is fitted into it, and not refused. */
  fitsContext: boolean;
  /** Of texts with NUL or half of a surrogate pair the rest is read; without it they are refused. */
  readsBadText: boolean;
  /** The field that errors name when the text is at fault; null: they name none. */
  textField: string | null;
  /** How a refusal is told: its status, and its code, or its type where there are no codes. */
  refusal: (name: FaultName) => [status: number, word: string];
  /** The same word in an answer, or in a stream that broke off; null: nothing is told. */
  errorIn: (answer: string) => string | null;
};

const user = (content: string) => [{ role: 'user', content }];

/** OpenAI's way to tell errors. */
const openAi = {
  keys: [bearer],
  tooLong: 'invalid_request',
  tooLongWords: /maximum context length is 4096 .* at least \d+ tokens/,
  fitsContext: false,
  readsBadText: false,
  refusal: (name: FaultName): [number, string] => [faultRows[name].status, faultRows[name].code],
  errorIn: errorIn('code'),
} as const;

const isFinished = (answer: string) => typeof at(JSON.parse(answer), 'choices', 0, 'finish_reason') === 'string';

const chatCompletions: ProtocolRow = {
  ...openAi,
  name: 'chat-completions',
  operation: 'chat.create',
  kind: 'text',
  project: 'chat',
  path: 'openai/v1/chat/completions',
  body: ({ model, text, maxTokens, stream, schema }) => ({
    model,
    messages: user(text),
    max_tokens: maxTokens,
    reasoning_effort: 'none',
    stream,
    ...(stream ? { stream_options: { include_usage: true } } : {}),
    ...(schema ? { response_format: { type: 'json_schema', json_schema: { name: 'long', schema } } } : {}),
  }),
  keepsLong: true,
  textField: 'messages',
  whole: {
    isWhole: isFinished,
    counted: countedByOpenAi,
    said: (answer) => String(at(JSON.parse(answer), 'choices', 0, 'message', 'content') ?? ''),
  },
  stream: {
    isWhole: (answer) => answer.endsWith('data: [DONE]\n\n'),
    counted: countedByOpenAi,
    said: (answer) => joined(framesOf(answer).map((frame) => at(frame, 'choices', 0, 'delta', 'content'))),
  },
};

const completions: ProtocolRow = {
  ...openAi,
  name: 'completions',
  operation: 'completions.create',
  kind: 'text',
  project: 'chat',
  path: 'openai/v1/completions',
  body: ({ model, text, maxTokens }) => ({ model, prompt: text, max_tokens: maxTokens, reasoning_effort: 'none' }),
  keepsLong: false,
  textField: 'prompt',
  whole: {
    isWhole: isFinished,
    counted: countedByOpenAi,
    said: (answer) => String(at(JSON.parse(answer), 'choices', 0, 'text') ?? ''),
  },
  stream: null,
};

const embeddings: ProtocolRow = {
  ...openAi,
  name: 'embeddings',
  operation: 'embeddings.create',
  kind: 'embedding',
  project: 'search',
  path: 'openai/v1/embeddings',
  body: ({ model, text }) => ({ model, input: text, encoding_format: 'base64' }),
  tooLongWords: /an input has at least \d+ tokens/,
  keepsLong: false,
  textField: 'input',
  whole: {
    isWhole: (answer) => listAt(JSON.parse(answer), 'data').length > 0,
    counted: countedByOpenAi,
    said: (answer) => String(at(JSON.parse(answer), 'data', 0, 'embedding') ?? ''),
  },
  stream: null,
};

const responses: ProtocolRow = {
  ...openAi,
  name: 'responses',
  operation: 'responses.create',
  kind: 'text',
  project: 'chat',
  path: 'openai/v1/responses',
  body: ({ model, text, maxTokens, stream, schema }) => ({
    model,
    input: text,
    max_output_tokens: maxTokens,
    reasoning: { effort: 'none' },
    stream,
    ...(schema ? { text: { format: { type: 'json_schema', name: 'long', schema } } } : {}),
  }),
  tooLong: 'context_length_exceeded',
  tooLongWords: /context window.* maximum context length is 4096 tokens; your input has \d+/,
  keepsLong: true,
  readsBadText: true,
  textField: 'input',
  whole: {
    isWhole: (answer) => /^(completed|incomplete)$/.test(String(at(JSON.parse(answer), 'status'))),
    counted: countedByResponses,
    said: (answer) => joined(listAt(JSON.parse(answer), 'output').map((item) => at(item, 'content', 0, 'text'))),
  },
  stream: {
    isWhole: (answer) => endsWith(answer, 'response.completed') || endsWith(answer, 'response.incomplete'),
    counted: countedByResponses,
    said: (answer) =>
      joined(framesOf(answer).map((frame) => at(frame, 'type') === 'response.output_text.delta' && at(frame, 'delta'))),
  },
};

/** 422 and 503 are no statuses of Anthropic's. */
const anthropicStatuses: Record<number, number> = { 422: 400, 503: 529 };
const anthropicTypes: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  409: 'conflict_error',
  413: 'request_too_large',
  415: 'invalid_request_error',
  424: 'api_error',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};

const messages: ProtocolRow = {
  name: 'messages',
  operation: 'messages.create',
  kind: 'text',
  project: 'chat',
  path: 'anthropic/v1/messages',
  keys: [bearer, (key) => ({ 'x-api-key': key })],
  body: ({ model, text, maxTokens, stream, schema }) => ({
    model,
    messages: user(text),
    max_tokens: maxTokens,
    stream,
    ...(schema ? { output_config: { format: { type: 'json_schema', schema } } } : {}),
  }),
  keepsLong: true,
  textField: null,
  tooLong: 'invalid_request',
  tooLongWords: /^prompt is too long: \d+ tokens > 4096 maximum/,
  fitsContext: true,
  readsBadText: true,
  refusal(name) {
    const { status } = faultRows[name];
    const told = anthropicStatuses[status] ?? status;
    return [told, anthropicTypes[told] ?? ''];
  },
  errorIn: errorIn('type'),
  whole: {
    isWhole: (answer) => typeof at(JSON.parse(answer), 'stop_reason') === 'string',
    counted: countedByAnthropic,
    said: (answer) => joined(listAt(JSON.parse(answer), 'content').map((block) => at(block, 'text'))),
  },
  stream: {
    isWhole: (answer) => endsWith(answer, 'message_stop'),
    counted: countedByAnthropic,
    said: (answer) => joined(framesOf(answer).map((frame) => at(frame, 'delta', 'text'))),
  },
};

const cohere: ProtocolRow = {
  name: 'cohere',
  operation: 'cohere_chat.create',
  kind: 'text',
  project: 'chat',
  path: 'cohere/v2/chat',
  keys: [bearer],
  body: ({ model, text, maxTokens, stream, schema }) => ({
    model,
    messages: user(text),
    max_tokens: maxTokens,
    thinking: { type: 'disabled' },
    stream,
    ...(schema ? { response_format: { type: 'json_object', json_schema: schema } } : {}),
  }),
  keepsLong: true,
  textField: 'messages',
  tooLong: 'invalid_request',
  tooLongWords: /maximum context length is 4096 .* at least \d+ tokens/,
  fitsContext: false,
  readsBadText: false,
  refusal: (name) => [faultRows[name].status, faultRows[name].code],
  errorIn: errorIn('code'),
  whole: {
    isWhole: (answer) => typeof at(JSON.parse(answer), 'finish_reason') === 'string',
    counted: countedByCohere,
    said: (answer) => joined(listAt(JSON.parse(answer), 'message', 'content').map((part) => at(part, 'text'))),
  },
  stream: {
    isWhole: (answer) => framesOf(answer).some((frame) => at(frame, 'type') === 'message-end'),
    counted: countedByCohere,
    said: (answer) =>
      joined(
        framesOf(answer).map(
          (frame) => at(frame, 'type') === 'content-delta' && at(frame, 'delta', 'message', 'content', 'text'),
        ),
      ),
  },
};

/** Every protocol that is served: tests of charges, limits, isolation and the like run with each of them. */
export const protocolRows: readonly ProtocolRow[] = [
  chatCompletions,
  cohere,
  completions,
  embeddings,
  messages,
  responses,
];
