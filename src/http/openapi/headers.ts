import { localize } from './localize.ts';
import type { HeaderObject, Language } from './model.ts';

type KnownHeader = { name: string; text: string; schema: Record<string, unknown>; always?: boolean };

/** Headers of answers that mean the same on every route, by the name of their component. */
const known = {
  RequestId: {
    name: 'x-request-id',
    text: 'Id of this request. Name it when you ask for help.',
    schema: { type: 'string', examples: ['req_01J9ZK3V5W7X8Y9A0B1C2D3E4F'] },
    always: true,
  },
  RetryAfter: {
    name: 'retry-after',
    text: 'Whole seconds to wait before the request is sent again; more than 59 with `rate_limited` only.',
    schema: { type: 'integer', minimum: 1, examples: [5] },
  },
  ShouldRetry: {
    name: 'x-should-retry',
    text: 'Tells the official OpenAI clients whether to send the request again by themselves.',
    schema: { type: 'string', enum: ['true', 'false'] },
  },
  WwwAuthenticate: {
    name: 'www-authenticate',
    text: 'The scheme that the server expects.',
    schema: { type: 'string', const: 'Bearer' },
    always: true,
  },
  IgnoredFields: {
    name: 'x-fnf-ignored-fields',
    text: 'Names of fields of the body that this operation does not know and therefore ignored, separated by commas; absent when there are none.',
    schema: { type: 'string', examples: ['colour, size'] },
  },
  IdempotentReplay: {
    name: 'idempotent-replay',
    text: 'Sent with `true` when this is the stored answer to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
  OriginalRequestId: {
    name: 'x-fnf-request-id',
    text: 'With a stored answer: id of the request that did the work, for `GET /api/v1/requests/{request_id}`.',
    schema: { type: 'string', examples: ['req_01J9ZK3V5W7X8Y9A0B1C2D3E4F'] },
  },
  RateLimitLimit: {
    name: 'ratelimit-limit',
    text: 'What the limit that is reached first allows: requests, or whole credits. Absent for callers without limits.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitRemaining: {
    name: 'ratelimit-remaining',
    text: 'How much of that is left.',
    schema: { type: 'integer', minimum: 0 },
  },
  RateLimitReset: {
    name: 'ratelimit-reset',
    text: 'Whole seconds until it counts anew.',
    schema: { type: 'integer', minimum: 0 },
  },
  ETag: {
    name: 'etag',
    text: 'Version of this answer, for `If-None-Match`.',
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
        description: localize(header.text, language),
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
export function contractHeaders(headers: Record<string, string>, language: Language) {
  return Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      componentOf(name) ?? { description: localize(text, language), schema: { type: 'string' } },
    ]),
  );
}

function componentOf(wireName: string): { $ref: string } | undefined {
  const found = Object.entries<KnownHeader>(known).find(([, { name }]) => name === wireName.toLowerCase());
  return found && { $ref: `#/components/headers/${found[0]}` };
}
