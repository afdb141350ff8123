import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RegisteredRoute } from '#http';
import { setKeyActive } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { protocolRows } from '#test/protocols.ts';

/** What is served, to whom, and what every other path and method comes to. */
let database: TestDatabase;
let app: TestApp;
let owner: { slug: string; project: string; key: string; deadKey: string };

before(async () => {
  database = await createTestDatabase();
  app = await startApp(database.database);
  const { accountId, slug } = await seedAccount(database.database);
  const { slug: project } = await seedProject(database.database, { accountId });
  const { key } = await seedKey(database.database, { accountId });
  const dead = await seedKey(database.database, { accountId });
  await setKeyActive(database.database, { accountId, keyId: dead.keyId }, false);
  owner = { slug, project, key, deadKey: dead.key };
});

after(async () => {
  await app?.stop();
  await database?.drop();
});

const project = '/api/projects/:owner/:project';
const projectPath = `${project}/openai/v1`;

/** What anybody may call without a credential: nothing else is open. */
const open = [
  'GET /healthz',
  'GET /readyz',
  'GET /api/v1/auth/options',
  'POST /api/v1/auth/sign-up/email',
  'POST /api/v1/auth/sign-up/invitation',
  'POST /api/v1/auth/invitation',
  'POST /api/v1/auth/sign-in/email',
  'POST /api/v1/auth/sign-in/oidc',
  'GET /api/v1/auth/callback/oidc',
  'POST /api/v1/stripe/webhook',
  'GET /api/v1/pricing/platform',
  'GET /api/v1/pricing/models',
  'POST /api/v1/pricing/estimate',
  'GET /api/v1/openapi.en.json',
  'GET /api/v1/openapi.en.yaml',
  'GET /api/v1/openapi.zh.json',
  'GET /api/v1/openapi.zh.yaml',
  'GET /api/v1/guides',
  'GET /api/v1/guides/:guideName',
  'GET /api/v1/guide-sections',
  'GET /api/v1/operations',
  'GET /api/v1/operations/:operationId',
  'GET /reference',
  'GET /reference/:asset',
];

/** What clients of Anthropic ask for at their base address, before they have a key. */
const about = [`GET ${project}/anthropic`, `GET ${project}/anthropic/`, `GET ${project}/anthropic/v1`];

/** What callers of models get into by admission, and with the errors of the interface that they speak. */
const compatible = [
  ...protocolRows.map(({ path }) => `POST ${project}/${path}`),
  `GET ${projectPath}/models`,
  `GET ${projectPath}/models/:id`,
  `GET ${project}/anthropic/v1/models`,
  `GET ${project}/anthropic/v1/models/:id`,
  `POST ${project}/anthropic/v1/messages/count_tokens`,
  `GET ${projectPath}/responses/:id`,
  `DELETE ${projectPath}/responses/:id`,
  `GET ${projectPath}/responses/:id/input_items`,
  `POST ${projectPath}/responses/:id/cancel`,
  `POST ${projectPath}/responses/input_tokens`,
  `POST ${projectPath}/rerank`,
  `POST ${project}/cohere/v2/rerank`,
  `POST ${projectPath}/tokenize`,
  `POST ${projectPath}/detokenize`,
];

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const paths = () => [...new Set(app.server.routeTable.rows.map(({ path }) => path))];

/** The path with something in the place of each parameter. */
function fill(path: string): string {
  return path
    .replace(':owner', owner.slug)
    .replace(':project', owner.project)
    .replace(':keyId', 'key_00000000000000000000000000')
    .replace(':operationId', 'keys.list')
    .replace(':asset', 'start.js')
    .replace(':guideName', 'training')
    .replace(':id', 'chat');
}

function send(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return fetch(app.origin + fill(path), {
    method,
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: '{}' } : {}),
    signal: AbortSignal.timeout(180_000),
  });
}

type Wrong = { error: Record<string, unknown>; detail?: { successor: string } };

async function wrongOf(response: Response): Promise<Wrong> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  // as: an error that has another shape fails in the assertions on it.
  return (await response.json()) as Wrong;
}

/** In whose words the errors of a path are told. */
const speaksAnthropic = (path: string) => path.startsWith(`${project}/anthropic`);
const wordsOf = (path: string) =>
  speaksAnthropic(path)
    ? { word: 'type', badKey: 'authentication_error', badMethod: 'invalid_request_error' }
    : { word: 'code', badKey: 'invalid_credentials', badMethod: 'method_not_allowed' };

test('only the named routes are open, and only calls of models are admitted and answered as compatible', () => {
  const rows = app.server.routeTable.rows.filter(({ method }) => method !== 'HEAD');
  const named = (isMeant: (row: RegisteredRoute) => boolean) =>
    rows
      .filter(isMeant)
      .map(({ method, path }) => `${method} ${path}`)
      .sort();
  assert.deepEqual(
    named(({ access }) => access === 'public'),
    [...open, ...about].sort(),
  );
  assert.deepEqual(
    named(({ access }) => access === 'admission'),
    compatible.toSorted(),
  );
  assert.deepEqual(
    named(({ envelope }) => envelope.name !== 'Error'),
    [...compatible, ...about].sort(),
  );
});

test('HEAD comes with every GET, and is guarded like it', () => {
  const rows = app.server.routeTable.rows;
  const render = ({ path, access, envelope, operation }: RegisteredRoute) =>
    `${path} ${access} ${envelope.name} ${operation}`;
  assert.deepEqual(
    rows.filter(({ method }) => method === 'HEAD').map(render),
    rows.filter(({ method }) => method === 'GET').map(render),
  );
});

test('every route that is not public refuses a caller without a good key, in the same words whatever is wrong', async () => {
  const wellFormed = `${owner.key.slice(0, 4)}${owner.key.slice(4, 10).split('').reverse().join('')}${owner.key.slice(10)}`;
  const credentials: Record<string, string>[] = [
    {},
    { authorization: '' },
    { authorization: owner.key },
    { authorization: `Basic ${owner.key}` },
    bearer('fnf_nonsense'),
    bearer(wellFormed),
    bearer(`${owner.key} `.repeat(2)),
    bearer(owner.deadKey),
    { cookie: `session=${owner.key}` },
    { 'x-api-key': owner.deadKey },
    { 'x-api-key': wellFormed },
    { 'x-api-key': `Bearer ${owner.key}` },
    { 'x-api-key': '' },
  ];
  const guarded = app.server.routeTable.rows.filter(({ access }) => access !== 'public');
  for (const { method, path, envelope } of guarded) {
    const bodies = new Set<string>();
    const { word, badKey } = wordsOf(path);
    for (const headers of speaksAnthropic(path) ? credentials : [...credentials, { 'x-api-key': owner.key }]) {
      const response = await send(method, path, headers);
      const label = `${method} ${path} with ${JSON.stringify(headers)}`;
      assert.equal(response.status, 401, label);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer', label);
      assert.equal(response.headers.get('retry-after'), null, label);
      if (method === 'HEAD') continue;
      const { error } = await wrongOf(response);
      assert.equal(error[word], badKey, label);
      assert.equal('request_id' in error, envelope.name === 'Error', label);
      bodies.add(JSON.stringify({ ...error, request_id: null }));
    }
    assert.ok(bodies.size <= 1, `${method} ${path} tells what is wrong with a key`);
  }
});

test('every protocol takes a key in every way that its clients send one', async () => {
  for (const { path, keys, kind } of protocolRows)
    for (const headers of keys) {
      const response = await send('POST', `${project}/${path}`, headers(owner.key));
      // The key is good, the empty body is not.
      assert.equal(response.status, kind === 'text' ? 400 : 422, `${path}, ${Object.keys(headers(''))}`);
    }
});

/** Of public routes that want more than an empty body, or are not configured here. */
const answersOfPublic: Record<string, number> = {
  '/api/v1/auth/sign-up/email': 422,
  '/api/v1/auth/sign-up/invitation': 422,
  '/api/v1/auth/invitation': 422,
  '/api/v1/auth/sign-in/email': 422,
  '/api/v1/auth/sign-in/oidc': 404,
  '/api/v1/auth/callback/oidc': 404,
  '/api/v1/pricing/estimate': 422,
  '/api/v1/guide-sections': 400,
  '/api/v1/stripe/webhook': 404,
};

test('public routes answer anyone', async () => {
  for (const { method, path } of app.server.routeTable.rows.filter(({ access }) => access === 'public'))
    assert.equal((await send(method, path)).status, answersOfPublic[path] ?? 200, path);
});

test('HEAD has the headers of GET and no body', async () => {
  for (const path of ['/healthz', '/api/v1/keys', '/api/v1/base-models', `${projectPath}/models`]) {
    const [head, get] = [await send('HEAD', path, bearer(owner.key)), await send('GET', path, bearer(owner.key))];
    assert.equal(head.status, 200, path);
    assert.equal(await head.text(), '', path);
    assert.equal(head.headers.get('content-type'), get.headers.get('content-type'), path);
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(await get.text())), path);
  }
});

test('OPTIONS names the methods of a path, and every other method is 405 with them', async () => {
  for (const path of paths()) {
    // A fixed word may stand where another route has a parameter: "limits" is the id of no dataset.
    const rows = app.server.routeTable.rows.filter((row) => row.path === path);
    const allowed = rows.map(({ method }) => method);
    const allow = [...allowed, 'OPTIONS'].sort().join(', ');
    const options = await send('OPTIONS', path);
    assert.equal(options.status, 204, path);
    assert.equal(options.headers.get('allow'), allow, path);
    assert.equal(options.headers.get('access-control-allow-origin'), null, path);
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const response = await send(method, path);
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get('allow'), allow);
      const { word, badMethod } = wordsOf(path);
      assert.equal((await wrongOf(response)).error[word], badMethod, `${method} ${path}`);
    }
  }
});

test('a retired path is 410 with its successor for every method, and the successor exists', async () => {
  const retired: Record<string, string> = { '/api/base-models': '/api/v1/base-models', '/api/keys': '/api/v1/keys' };
  for (const call of ['models', 'chat/completions', 'completions', 'embeddings']) {
    const at = `/api/projects/${owner.slug}/${owner.project}/openai`;
    retired[`${at}/${call}`] = `${at}/v1/${call}`;
    retired[`/v1/${call}`] = `/api/projects/{owner}/{project}/openai/v1/${call}`;
    retired[`/openai/v1/${call}`] = retired[`/v1/${call}`] ?? '';
  }
  for (const [path, successor] of Object.entries(retired)) {
    for (const method of [...methods, 'HEAD', 'OPTIONS']) {
      const response = await send(method, path);
      assert.equal(response.status, 410, `${method} ${path}`);
      assert.equal(response.headers.get('link'), `<${successor}>; rel="successor-version"`);
      if (method === 'HEAD') continue;
      const { error, detail } = await wrongOf(response);
      assert.deepEqual([error.code, detail?.successor], ['api_version_required', successor]);
    }
    const exists = successor.replace('{owner}', owner.slug).replace('{project}', owner.project);
    assert.equal((await send('OPTIONS', exists)).status, 204, successor);
  }
});

test('a request that is refused at the door gets the envelope of its route', async () => {
  for (const { method, path, envelope } of app.server.routeTable.rows.filter(({ method }) => method === 'POST')) {
    const response = await send(method, path, { ...bearer(owner.key), 'content-encoding': 'gzip' });
    assert.equal(response.status, 415, path);
    assert.equal('request_id' in (await wrongOf(response)).error, envelope.name === 'Error', path);
  }
});

test('a path that is not served is 404 in JSON, with and without a key', async () => {
  const unknown = ['/', '/api', '/api/v1', '/api/v1/nothing', '/api/v1/keys/', '/healthz/x', '/favicon.ico'];
  const compat = [`${projectPath}/answers`, `${projectPath}/models/a/b`, `${projectPath}/`, '/v1/responses'];
  for (const path of [...unknown, ...compat])
    for (const headers of [{}, bearer(owner.key)]) {
      const response = await send('POST', path, headers);
      assert.equal(response.status, 404, path);
      const { error } = await wrongOf(response);
      assert.equal(error.code, 'not_found', path);
      assert.equal('request_id' in error, unknown.includes(path), path);
    }
});
