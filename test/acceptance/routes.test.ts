import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { RouteRow } from '#http';
import { setKeyActive } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';

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

const projectPath = '/api/projects/:owner/:project/openai/v1';

/** Method, path, who may call, envelope, operation. A route that is added must be added here, with its access. */
const published = [
  'GET /healthz public native health.live',
  'GET /readyz public native health.ready',
  'GET /api/v1/auth/options public native auth.options',
  'POST /api/v1/auth/sign-up/email public native auth.sign_up',
  'POST /api/v1/auth/sign-in/email public native auth.sign_in',
  'POST /api/v1/auth/sign-in/oidc public native auth.sign_in_oidc',
  'GET /api/v1/auth/callback/oidc public native auth.callback_oidc',
  'GET /api/v1/auth/session account native auth.session',
  'POST /api/v1/auth/sign-out account native auth.sign_out',
  'POST /api/v1/auth/sign-out/everywhere account native auth.sign_out_everywhere',
  'GET /api/v1/me account native account.me',
  'PATCH /api/v1/me/profile account native account.update_profile',
  'POST /api/v1/me/password account native account.change_password',
  'GET /api/v1/base-models account native base_models.list',
  'GET /api/v1/projects account native projects.list',
  'POST /api/v1/projects account native projects.create',
  'GET /api/v1/projects/:owner/:project account native projects.read',
  'PATCH /api/v1/projects/:owner/:project account native projects.update',
  'GET /api/v1/projects/:owner/:project/hosted-models account native hosted_models.list',
  'POST /api/v1/projects/:owner/:project/hosted-models account native hosted_models.create',
  'GET /api/v1/projects/:owner/:project/hosted-models/:hostedModelId account native hosted_models.read',
  'PATCH /api/v1/projects/:owner/:project/hosted-models/:hostedModelId account native hosted_models.update',
  'PATCH /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/activate account native hosted_models.activate',
  'PATCH /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/deactivate account native hosted_models.deactivate',
  'GET /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/revisions account native hosted_models.revisions',
  'POST /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/rollback account native hosted_models.rollback',
  'GET /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/shares account native model_shares.list',
  'POST /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/shares account native model_shares.create',
  'DELETE /api/v1/projects/:owner/:project/hosted-models/:hostedModelId/shares/:shareId account native model_shares.delete',
  'GET /api/v1/models account native registry_models.list',
  'GET /api/v1/keys account native keys.list',
  'POST /api/v1/keys account native keys.create',
  'PATCH /api/v1/keys/:keyId/activate account native keys.activate',
  'PATCH /api/v1/keys/:keyId/deactivate account native keys.deactivate',
  'DELETE /api/v1/keys/:keyId account native keys.delete',
  'GET /api/v1/keys/:keyId/limits account native key_limits.read',
  'PATCH /api/v1/keys/:keyId/limits account native key_limits.change',
  'GET /api/v1/me/limits account native account_limits.read',
  'PATCH /api/v1/me/limits account native account_limits.change',
  'GET /api/v1/requests/:requestId account native requests.read',
  'GET /api/v1/credits account native credits.read',
  'GET /api/v1/credits/usage account native credits.usage',
  'GET /api/v1/credits/usage/summary account native credits.summary',
  'POST /api/v1/credits/checkout account native checkouts.create',
  'GET /api/v1/credits/checkout/:checkoutId account native checkouts.read',
  'POST /api/v1/credits/checkout/:checkoutId/cancel account native checkouts.cancel',
  'POST /api/v1/stripe/webhook public native checkouts.webhook',
  'GET /api/v1/pricing/platform public native pricing.platform',
  'GET /api/v1/pricing/models public native pricing.models',
  'POST /api/v1/pricing/estimate public native pricing.estimate',
  'GET /api/v1/activity account native activity.list',
  'GET /api/v1/dashboard account native dashboard.read',
  'PATCH /api/v1/activity/:activityId/archive account native activity.archive',
  'PATCH /api/v1/activity/:activityId/unarchive account native activity.unarchive',
  'POST /api/v1/activity/archive account native activity.archive_many',
  'GET /api/v1/projects/:owner/:project/saved-calls account native saved_calls.list',
  'DELETE /api/v1/projects/:owner/:project/saved-calls account native saved_calls.delete_many',
  'GET /api/v1/projects/:owner/:project/saved-calls/:requestId account native saved_calls.read',
  'DELETE /api/v1/projects/:owner/:project/saved-calls/:requestId account native saved_calls.delete',
  'GET /api/v1/openapi.en.json public native contract.json_en',
  'GET /api/v1/openapi.en.yaml public native contract.yaml_en',
  'GET /api/v1/openapi.zh.json public native contract.json_zh',
  'GET /api/v1/openapi.zh.yaml public native contract.yaml_zh',
  'GET /api/v1/operations public native operations.list',
  'GET /api/v1/operations/:operationId public native operations.read',
  'GET /reference public native reference.overview',
  'GET /reference/:group public native reference.group',
  'GET /reference/style.css public native reference.style',
  `GET ${projectPath}/models admission compat models.list`,
  `GET ${projectPath}/models/:id admission compat models.retrieve`,
  `POST ${projectPath}/chat/completions admission compat chat.create`,
  `POST ${projectPath}/completions admission compat completions.create`,
  `POST ${projectPath}/embeddings admission compat embeddings.create`,
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
    .replace(':group', 'keys')
    .replace(':id', 'chat');
}

function send(method: string, path: string, headers: Record<string, string> = {}): Promise<Response> {
  const hasBody = method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS';
  return fetch(app.origin + fill(path), {
    method,
    headers: { ...headers, ...(hasBody ? { 'content-type': 'application/json' } : {}) },
    ...(hasBody ? { body: '{}' } : {}),
    signal: AbortSignal.timeout(10_000),
  });
}

type Wrong = { error: Record<string, unknown> & { code: string }; detail?: { successor: string } };

async function wrongOf(response: Response): Promise<Wrong> {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
  // as: an error that has another shape fails in the assertions on it.
  return (await response.json()) as Wrong;
}

test('the routes of the program are the published ones, each with its access', () => {
  const rows = app.server.routeTable.rows;
  const render = ({ method, path, access, shape, operation }: RouteRow) =>
    `${method} ${path} ${access} ${shape} ${operation}`;
  assert.deepEqual(
    rows
      .filter(({ method }) => method !== 'HEAD')
      .map(render)
      .sort(),
    published.toSorted(),
  );
  // HEAD comes with GET and is guarded like it.
  assert.deepEqual(
    rows.filter(({ method }) => method === 'HEAD').map(render),
    rows.filter(({ method }) => method === 'GET').map((row) => render({ ...row, method: 'HEAD' })),
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
    { cookie: `session=${owner.key}`, 'x-api-key': owner.key },
  ];
  const guarded = app.server.routeTable.rows.filter(({ access }) => access !== 'public');
  for (const { method, path, shape } of guarded) {
    const bodies = new Set<string>();
    for (const headers of credentials) {
      const response = await send(method, path, headers);
      const label = `${method} ${path} with ${JSON.stringify(headers)}`;
      assert.equal(response.status, 401, label);
      assert.equal(response.headers.get('www-authenticate'), 'Bearer', label);
      assert.equal(response.headers.get('retry-after'), null, label);
      if (method === 'HEAD') continue;
      const { error } = await wrongOf(response);
      assert.equal(error.code, 'invalid_credentials', label);
      assert.equal('request_id' in error, shape === 'native', label);
      bodies.add(JSON.stringify({ ...error, request_id: null }));
    }
    assert.ok(bodies.size <= 1, `${method} ${path} tells what is wrong with a key`);
  }
});

/** Of public routes that want more than an empty body, or are not configured here. */
const answersOfPublic: Record<string, number> = {
  '/api/v1/auth/sign-up/email': 422,
  '/api/v1/auth/sign-in/email': 422,
  '/api/v1/auth/sign-in/oidc': 404,
  '/api/v1/auth/callback/oidc': 404,
  '/api/v1/pricing/estimate': 422,
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
    const allowed = app.server.routeTable.rows.filter((row) => row.path === path).map(({ method }) => method);
    const allow = [...allowed, 'OPTIONS'].sort().join(', ');
    const options = await send('OPTIONS', path);
    assert.equal(options.status, 204, path);
    assert.equal(options.headers.get('allow'), allow, path);
    assert.equal(options.headers.get('access-control-allow-origin'), null, path);
    for (const method of methods.filter((each) => !allowed.includes(each))) {
      const response = await send(method, path);
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.get('allow'), allow);
      assert.equal((await wrongOf(response)).error.code, 'method_not_allowed');
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
  for (const { method, path, shape } of app.server.routeTable.rows.filter(({ method }) => method === 'POST')) {
    const response = await send(method, path, { ...bearer(owner.key), 'content-encoding': 'gzip' });
    assert.equal(response.status, 415, path);
    assert.equal('request_id' in (await wrongOf(response)).error, shape === 'native', path);
  }
});

test('a path that is not served is 404 in JSON, with and without a key', async () => {
  const unknown = ['/', '/api', '/api/v1', '/api/v1/nothing', '/api/v1/keys/', '/healthz/x', '/favicon.ico'];
  const compat = [`${projectPath}/responses`, `${projectPath}/models/a/b`, `${projectPath}/`, '/v1/responses'];
  for (const path of [...unknown, ...compat])
    for (const headers of [{}, bearer(owner.key)]) {
      const response = await send('POST', path, headers);
      assert.equal(response.status, 404, path);
      const { error } = await wrongOf(response);
      assert.equal(error.code, 'not_found', path);
      assert.equal('request_id' in error, unknown.includes(path), path);
    }
});
