import assert from 'node:assert/strict';
import { test } from 'node:test';
import Anthropic, { APIError } from '@anthropic-ai/sdk';
import { type FaultName, fault, faultRows } from '#kernel';
import { anthropicErrors } from './anthropic-errors.ts';
import { reword } from './reword.ts';

/** What the client makes of a fault. */
async function thrownFor(name: FaultName, options = {}) {
  const problem = fault(name, options);
  const { status, render, headers, everyAnswer } = anthropicErrors;
  let calls = 0;
  const client = new Anthropic({
    apiKey: 'k',
    maxRetries: 1,
    fetch: async () => {
      calls++;
      const fields = { ...headers(problem, 'req_1'), ...everyAnswer?.('req_1'), 'retry-after-ms': '1' };
      return new Response(render(problem, 'req_1'), { status: status(problem), headers: fields });
    },
  });
  const error: unknown = await client.models.list().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError);
  return { error, calls };
}

test("every fault has a status and a type of Anthropic's, and is repeated by its client only when that helps", async () => {
  const statuses = new Set([400, 401, 402, 403, 404, 405, 408, 409, 410, 413, 415, 424, 429, 431, 500, 529]);
  // as: its keys are the names.
  for (const name of Object.keys(faultRows) as FaultName[]) {
    const { error, calls } = await thrownFor(name);
    assert.ok(statuses.has(error.status ?? 0), `${name} ${error.status}`);
    assert.equal(error.apiMessage, faultRows[name].message);
    assert.equal(error.requestID, 'req_1');
    const { shouldRetry } = faultRows[name];
    if (error.status === 429 || error.status === 529) assert.equal(calls, 2, name);
    else if (shouldRetry !== null) assert.equal(calls, shouldRetry ? 2 : 1, name);
  }
});

test('faults arrive as the classes and types that users of Anthropic catch', async () => {
  const cases: [FaultName, abstract new (...args: never[]) => Error, string][] = [
    ['invalid_request', Anthropic.BadRequestError, 'invalid_request_error'],
    ['invalid_shape', Anthropic.BadRequestError, 'invalid_request_error'],
    ['invalid_credentials', Anthropic.AuthenticationError, 'authentication_error'],
    ['insufficient_credits', APIError, 'billing_error'],
    ['owner_required', Anthropic.PermissionDeniedError, 'permission_error'],
    ['model_not_found', Anthropic.NotFoundError, 'not_found_error'],
    ['payload_too_large', APIError, 'request_too_large'],
    ['request_timeout', APIError, 'timeout_error'],
    ['rate_limited', Anthropic.RateLimitError, 'rate_limit_error'],
    ['generation_failed', Anthropic.InternalServerError, 'api_error'],
    ['internal_error', Anthropic.InternalServerError, 'api_error'],
    ['model_warming', Anthropic.InternalServerError, 'overloaded_error'],
    ['capacity_unavailable', Anthropic.InternalServerError, 'overloaded_error'],
  ];
  for (const [name, of, type] of cases) {
    const { error } = await thrownFor(name);
    assert.ok(error instanceof of, name);
    assert.equal(error.type, type, name);
  }
});

test('a message begins with the field that is at fault, in the words of this protocol', async () => {
  const told = async (options: object) =>
    (await thrownFor('invalid_request', options).then(({ error }) => error.apiMessage)) ?? '';
  assert.equal(await told({ param: 'tools', message: 'No tools here.' }), 'tools: No tools here.');
  assert.equal(await told({ param: 'messages.0', message: 'messages.0: wrong' }), 'messages.0: wrong');
  assert.equal(await told({ message: 'The body is wrong.' }), 'The body is wrong.');
  const problem = fault('invalid_request', {
    param: 'response_format',
    message: 'response_format.json_schema.schema.properties.a: "not" cannot be enforced.',
  });
  assert.equal(reword(problem).message, 'output_config.format.schema.properties.a: "not" cannot be enforced.');
});

test('who is overloaded says when to come again', () => {
  const { headers } = anthropicErrors;
  assert.equal(headers(fault('capacity_unavailable'), 'req_1')['retry-after'], '10');
  // The server adds it where the fault knows better.
  assert.ok(!('retry-after' in headers(fault('model_warming', { retryAfterSeconds: 3 }), 'req_1')));
});

test('a prompt that is too long is told in the words that clients look for', () => {
  const wordsOf = (prompt_tokens: number, max_tokens: number | null) =>
    reword(fault('invalid_request', { details: { prompt_tokens, max_tokens, max_context_tokens: 4096 } })).message;
  assert.equal(wordsOf(5_000, null), 'prompt is too long: 5000 tokens > 4096 maximum');
  assert.equal(wordsOf(4_096, 1), 'prompt is too long: 4096 tokens > 4095 maximum');
  const details = { prompt_tokens: 5_000, max_tokens: null, max_context_tokens: 4096, instruction_tokens: 4_900 };
  for (const other of [fault('invalid_request', { param: 'model' }), fault('invalid_request', { details })])
    assert.equal(reword(other), other);
});

test("errors at Anthropic's paths are told so", () => {
  for (const path of ['/api/projects/a/b/anthropic', '/api/projects/a/b/anthropic/v1/x', '/v1/messages'])
    assert.match(path, anthropicErrors.paths ?? /^$/);
  for (const path of ['/api/projects/a/b/anthropics', '/api/projects/a/b/openai/v1/x'])
    assert.doesNotMatch(path, anthropicErrors.paths ?? /./);
});
