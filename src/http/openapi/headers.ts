import { type Said, said } from '../contract.ts';
import type { HeaderObject, Language } from './model.ts';
import { describe } from './write-schema.ts';

type KnownHeader = { name: string; text: Said; schema: Record<string, unknown>; always?: boolean };

/** Headers of answers that mean the same on every route, by the name of their component. */
const known = {
  RequestId: {
    name: 'x-request-id',
    text: said('Id of this request. Name it when you ask for help.', '本次请求的 ID。寻求帮助时请提供。'),
    schema: { type: 'string', examples: ['req_01J9ZK3V5W7X8Y9A0B1C2D3E4F'] },
    always: true,
  },
  RetryAfter: {
    name: 'retry-after',
    text: said(
      'Whole seconds to wait before the request is sent again; more than 59 with `rate_limited` only.',
      '重新发送请求前需等待的整秒数；仅 `rate_limited` 时可能超过 59。',
    ),
    schema: { type: 'integer', minimum: 1, examples: [5] },
  },
  ShouldRetry: {
    name: 'x-should-retry',
    text: said(
      'Tells the official OpenAI clients whether to send the request again by themselves.',
      '告知 OpenAI 官方客户端是否应自动重发请求。',
    ),
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  WwwAuthenticate: {
    name: 'www-authenticate',
    text: said('The scheme that the server expects.', '服务器要求的认证方案。'),
    schema: { type: 'string', const: 'Bearer' },
    always: true,
  },
  IgnoredFields: {
    name: 'x-fnf-ignored-fields',
    text: said(
      'Names of fields of the body that this operation does not know and therefore ignored, separated by commas; absent when there are none.',
      '请求体中本操作不认识、因而被忽略的字段名，以逗号分隔；没有时不出现。',
    ),
    schema: { type: 'string', examples: ['colour, size'] },
  },
  IdempotentReplay: {
    name: 'idempotent-replay',
    text: said(
      'Sent with `true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
      '值为 `true` 时，表示这是先前使用相同 `Idempotency-Key` 的请求所保存的响应。',
    ),
    schema: { type: 'string', const: 'true' },
  },
  OriginalRequestId: {
    name: 'x-fnf-request-id',
    text: said(
      'With a stored answer: id of the request that did the work, for `GET /api/v1/requests/{request_id}`.',
      '返回已保存的响应时：实际完成工作的请求的 ID，可用于 `GET /api/v1/requests/{request_id}`。',
    ),
    schema: { type: 'string', examples: ['req_01J9ZK3V5W7X8Y9A0B1C2D3E4F'] },
  },
  RateLimitLimit: {
    name: 'ratelimit-limit',
    text: said(
      'What the limit that is reached first allows: requests, or whole credits. Absent for callers without limits.',
      '最先达到的限制所允许的数量：请求数，或整数额度。没有限制的调用方不会收到。',
    ),
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitRemaining: {
    name: 'ratelimit-remaining',
    text: said('How much of that is left.', '剩余数量。'),
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    name: 'ratelimit-reset',
    text: said('Whole seconds until it counts anew.', '距重新计数的整秒数。'),
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: {
    name: 'etag',
    text: said('Version of this answer, for `If-None-Match`.', '此响应的版本，可用于 `If-None-Match`。'),
    schema: { type: 'string' },
    always: true,
  },
} as const satisfies Record<string, KnownHeader>;

export type HeaderName = keyof typeof known;

export function headerComponents(language: Language): Record<string, HeaderObject> {
  return Object.fromEntries(
    Object.entries<KnownHeader>(known).map(([name, header]) => [
      name,
      {
        description: describe(header.text, language),
        ...(header.always ? { required: true } : {}),
        schema: header.schema,
      },
    ]),
  );
}

/** References to known headers, by the names on the wire. */
export function headerRefs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [known[name].name, { $ref: `#/components/headers/${name}` }]));
}

/** Headers that a contract names by themselves; those which are known everywhere are referred to. */
export function contractHeaders(headers: Record<string, Said>, language: Language) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      componentOf(name) ?? { description: describe(text, language), schema: { type: 'string' } },
    ]),
  );
}

function componentOf(wireName: string): { $ref: string } | undefined {
  const found = Object.entries<KnownHeader>(known).find(([, { name }]) => name === wireName.toLowerCase());
  return found && { $ref: `#/components/headers/${found[0]}` };
}
