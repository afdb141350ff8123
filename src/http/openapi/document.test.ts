import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { isFields } from '#kernel';
import type { Contract } from '../contract.ts';
import { openAiErrors } from '../error-envelope.ts';
import { plainPageQuery } from '../page-query.ts';
import { createServer } from '../server.ts';
import { contractRoutes } from './contract.routes.ts';
import { writeDocument } from './document.ts';
import type { OpenApiDocument, OperationObject } from './model.ts';

let app: FastifyInstance;
let origin: string;

const contract = (more: Partial<Contract> = {}): Contract => ({
  tag: 'keys',
  summary: 'Do it',
  answers: { 200: { description: 'Done.', schema: Type.Object({}), example: {} } },
  ...more,
});

before(async () => {
  app = createServer({ authenticator: async () => null, probe: async () => {} });
  const answer = async () => ({});
  const at = (operation: string, more: Partial<Contract> = {}) => ({ operation, contract: contract(more) });
  app.get('/api/v1/things', { config: at('things.list'), schema: { querystring: plainPageQuery } }, answer);
  app.get('/api/v1/open', { config: { ...at('things.open'), access: 'public' } }, answer);
  const body = Type.Object({ name: Type.String({ description: 'Name.' }) });
  app.post(
    '/api/v1/things',
    { config: at('things.create', { idempotent: true, bodyExample: { name: 'x' } }), schema: { body } },
    answer,
  );
  app.patch(
    '/api/v1/things/:thingId',
    { config: at('things.rename', { credential: 'session', faults: ['slug_taken'] }) },
    answer,
  );
  app.get(
    '/api/projects/:owner/:project/openai/v1/things',
    { config: { ...at('things.compat'), access: 'admission', envelope: openAiErrors } },
    answer,
  );
  app.get('/api/v1/hidden', { config: { operation: 'things.hidden' } }, answer);
  await app.register(contractRoutes);
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

after(() => app.close());

function operation(method: string, path: string): OperationObject {
  return document().paths[path]?.[method] ?? assert.fail(`${method} ${path} is missing`);
}

const document = (): OpenApiDocument => writeDocument(app.routeTable.rows, 'en');

/** The codes that an answer may have, by status. */
function codesOf({ responses }: OperationObject): Record<string, string[]> {
  const { components } = document();
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, response]) => {
      const name = '$ref' in response ? (response.$ref.split('/').at(-1) ?? '') : '';
      const examples = components.responses?.[name]?.content?.['application/json']?.examples;
      return examples ? [[status, Object.keys(examples)]] : [];
    }),
  );
}

const everywhere = {
  400: ['invalid_request'],
  408: ['request_timeout'],
  415: ['unsupported_media_type'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['service_unavailable'],
};

test('the faults of a route follow from its access, method and schemas; the contract adds its own', () => {
  assert.deepEqual(codesOf(operation('get', '/api/v1/open')), everywhere);
  assert.deepEqual(codesOf(operation('get', '/api/v1/things')), {
    ...everywhere,
    400: ['invalid_request', 'invalid_cursor'],
    401: ['invalid_credentials'],
    403: ['account_suspended'],
  });
  assert.deepEqual(codesOf(operation('post', '/api/v1/things')), {
    ...everywhere,
    401: ['invalid_credentials'],
    403: ['account_suspended', 'forbidden'],
    409: ['idempotency_conflict', 'idempotency_in_progress'],
    413: ['payload_too_large'],
    422: ['invalid_shape'],
  });
  assert.deepEqual(codesOf(operation('patch', '/api/v1/things/{thing_id}')), {
    ...everywhere,
    401: ['invalid_credentials'],
    403: ['session_required', 'account_suspended', 'forbidden'],
    404: ['not_found'],
    409: ['slug_taken'],
    413: ['payload_too_large'],
  });
});

test('who may call stands in the security of an operation', () => {
  assert.deepEqual(operation('get', '/api/v1/open').security, []);
  assert.deepEqual(operation('get', '/api/v1/things').security, [{ apiKey: [] }, { session: [] }]);
  assert.deepEqual(operation('post', '/api/v1/things').security, [{ apiKey: [] }, { session: [], csrf: [] }]);
  assert.deepEqual(operation('patch', '/api/v1/things/{thing_id}').security, [{ session: [], csrf: [] }]);
  const compat = '/api/projects/{owner}/{project}/openai/v1/things';
  assert.deepEqual(operation('get', compat).security, [{ apiKey: [] }]);
});

test('each envelope is that of the route, and what is refused before routing has the native one', () => {
  const { responses } = operation('get', '/api/projects/{owner}/{project}/openai/v1/things');
  const refs = Object.fromEntries(
    Object.entries(responses).map(([status, each]) => [status, '$ref' in each && each.$ref]),
  );
  assert.equal(refs[401], '#/components/responses/CompatError.401.invalid_credentials');
  assert.equal(refs[408], '#/components/responses/Error.408.request_timeout');
});

test('an error example is what the server sends', async () => {
  const sent = await (await fetch(`${origin}/api/v1/things`)).json();
  const { content } = document().components.responses?.['Error.401.invalid_credentials'] ?? {};
  const example = content?.['application/json']?.examples?.invalid_credentials?.value;
  assert.ok(isFields(sent) && isFields(sent.error) && isFields(example) && isFields(example.error));
  assert.deepEqual({ ...example.error, request_id: null }, { ...sent.error, request_id: null });
});

test('a route without a contract is not published', () => {
  assert.ok(!JSON.stringify(document()).includes('hidden'));
});

test('documents, index and single documents are served with their version, and 304 to who has it', async () => {
  for (const path of [
    'openapi.en.json',
    'openapi.zh.yaml',
    'operations',
    'operations/things.list',
    'operations/things.list?lang=zh',
  ]) {
    const response = await fetch(`${origin}/api/v1/${path}`);
    assert.equal(response.status, 200, path);
    assert.match(
      response.headers.get('content-type') ?? '',
      path.endsWith('yaml') ? /^application\/yaml/ : /^application\/json/,
    );
    assert.match(response.headers.get('cache-control') ?? '', /^public, max-age=\d+$/);
    const etag = response.headers.get('etag') ?? '';
    for (const known of [etag, `"other", W/${etag}`, '*']) {
      const again = await fetch(`${origin}/api/v1/${path}`, { headers: { 'if-none-match': known } });
      assert.equal(again.status, 304, `${path} ${known}`);
      assert.equal(await again.text(), '');
    }
    const changed = await fetch(`${origin}/api/v1/${path}`, { headers: { 'if-none-match': '"other"' } });
    assert.equal(changed.status, 200);
  }
  assert.equal((await fetch(`${origin}/api/v1/operations/things.nothing`)).status, 404);
  assert.equal((await fetch(`${origin}/api/v1/operations?lang=fr`)).status, 400);
});
