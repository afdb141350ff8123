import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { chat, fileServer, principal } from './server.fixture.ts';
import { createServer } from './server.ts';

const { ask, logged, url } = fileServer();

const json = (body: string) => ({ body, headers: { 'content-type': 'application/json' } });

test('every answer has a request id of its own, errors and unknown paths included', async () => {
  const paths = ['/healthz', '/nope', '/%zz', '/api/v1/me', '/api/v1/bug', '/v1/models', '/api/v1/me?a=%00'];
  const ids = await Promise.all(paths.map(async (path) => (await ask('GET', path)).headers.get('x-request-id') ?? ''));
  for (const id of ids) assert.match(id, /^req_[0-9A-Z]{26}$/);
  assert.equal(new Set(ids).size, paths.length);
});

test('native errors carry the superset envelope, compat errors the OpenAI one', async () => {
  const native = await ask('GET', '/api/v1/nope');
  assert.equal(native.status, 404);
  assert.deepEqual(native.json['error'], {
    code: 'not_found',
    message: 'There is nothing here.',
    type: 'invalid_request_error',
    param: null,
    request_id: native.headers.get('x-request-id'),
    details: null,
  });
  const compat = await ask('GET', '/api/projects/o/p/openai/v1/nope');
  assert.deepEqual(compat.json, {
    error: {
      message: 'This path is not served. Served are models, chat/completions, completions, embeddings and responses.',
      type: 'invalid_request_error',
      param: null,
      code: 'not_found',
    },
  });
});

test('a defect answers 500 without a word about itself, and the log has it under the request id', async () => {
  const answer = await ask('GET', '/api/v1/bug');
  assert.equal(answer.status, 500);
  assert.equal(answer.json['error']?.['code'], 'internal_error');
  assert.ok(!answer.text.includes('hunter2'));
  const entry = logged.find((it) => Object(it).requestId === answer.headers.get('x-request-id'));
  assert.equal(Object(entry).operation, 'bug');
  assert.match(String(Object(entry).err), /hunter2/);
});

test('reading the principal of a route that has none is a defect, not an anonymous caller', async () => {
  assert.equal((await ask('GET', '/api/v1/unset')).status, 500);
});

test('without credentials there is no way in, and an outage is not a bad key', async () => {
  const missing = await ask('GET', '/api/v1/me');
  assert.equal(missing.status, 401);
  assert.equal(missing.headers.get('www-authenticate'), 'Bearer');
  assert.equal((await ask('GET', '/api/v1/me', { headers: { authorization: 'Bearer bad' } })).status, 401);
  const outage = await ask('GET', '/api/v1/me', { headers: { authorization: 'Bearer outage' } });
  assert.deepEqual([outage.status, outage.headers.get('retry-after')], [503, '1']);
  const good = await ask('GET', '/api/v1/me', { headers: { authorization: 'Bearer good' } });
  assert.deepEqual(good.json, principal);
});

test('a known path with another method is 405 and says what it takes', async () => {
  const wrong = await ask('DELETE', '/api/v1/me');
  assert.deepEqual([wrong.status, wrong.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
  assert.equal(wrong.json['error']?.['code'], 'method_not_allowed');
  const compat = await ask('PUT', chat, { body: 'x', headers: { 'content-type': 'text/plain' } });
  assert.deepEqual([compat.status, compat.headers.get('allow')], [405, 'OPTIONS, POST']);
  assert.deepEqual(Object.keys(compat.json['error'] ?? {}), ['message', 'type', 'param', 'code']);
  const head = await ask('HEAD', chat);
  assert.deepEqual([head.status, head.text], [405, '']);
  assert.equal((await ask('HEAD', '/healthz')).status, 200);
});

test('a retired path is 410 for any method and body, without authentication', async () => {
  for (const method of ['GET', 'POST', 'DELETE', 'PATCH', 'PUT', 'OPTIONS']) {
    const init = method === 'GET' ? {} : { body: '{', headers: { 'content-type': 'text/plain' } };
    const answer = await ask(method, '/api/projects/o/p/openai/chat/completions?x=1', init);
    assert.equal(answer.status, 410, method);
    assert.equal(answer.headers.get('link'), `<${chat}>; rel="successor-version"`);
    assert.equal(answer.headers.get('x-should-retry'), 'false');
    assert.equal(answer.json['error']?.['code'], 'api_version_required');
    assert.equal(answer.json['detail']?.['successor'], chat);
  }
});

test('only JSON in plain UTF-8 is a body', async () => {
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-16', 'json', ''];
  for (const type of types)
    assert.equal(
      (await ask('POST', '/api/v1/things', { body: Buffer.from('{}'), headers: { 'content-type': type } })).status,
      415,
      type,
    );
  assert.equal((await ask('POST', '/api/v1/things', { body: Buffer.from('{}') })).status, 415);
  const gzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
  assert.equal((await ask('POST', '/api/v1/things', { body: Buffer.from('{}'), headers: gzip })).status, 415);
  assert.equal((await ask('POST', '/api/v1/things', json('{}'))).status, 200);
});

test('a request without a body is served whatever type its client names for it', async () => {
  for (const type of ['application/x-www-form-urlencoded', 'text/plain; charset=utf-8']) {
    const init = { body: Buffer.from(''), headers: { 'content-type': type } };
    const answer = await ask('POST', '/api/v1/things', init);
    assert.deepEqual([answer.status, answer.json], [200, { body: {} }], type);
  }
});

test('a browser takes no answer of a native route for something else than it says', async () => {
  const kinds = await Promise.all(
    ['/api/v1/unset', '/api/v1/bug', '/api/v1/nothing', '/healthz'].map(async (path) =>
      (await fetch(`${url()}${path}`)).headers.get('x-content-type-options'),
    ),
  );
  assert.deepEqual(kinds, ['nosniff', 'nosniff', 'nosniff', 'nosniff']);
});

test('a body of 1 MiB passes and one byte more is 413', async () => {
  const filled = (length: number) => json(`{"x":"${'x'.repeat(length - 8)}"}`);
  assert.equal((await ask('POST', '/api/v1/things', filled(1_048_576))).status, 200);
  const answer = await ask('POST', '/api/v1/things', filled(1_048_577));
  assert.deepEqual([answer.status, answer.json['error']?.['code']], [413, 'payload_too_large']);
  assert.equal(answer.json['error']?.['message'], 'The body is too large: at most 1 MiB.');
});

test('who sends far too much without looking up is told so, and the connection stays good', async () => {
  const socket = connect(Number(new URL(url()).port), '127.0.0.1');
  const head = (length: number, connection: string) =>
    `POST /api/v1/things HTTP/1.1\r\nHost: a\r\nConnection: ${connection}\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${length}\r\n\r\n`;
  const tooMuch = 16 * 1_048_576;
  socket.write(`${head(tooMuch, 'keep-alive')}${' '.repeat(tooMuch)}${head(2, 'close')}{}`);
  const answers = await text(socket);
  assert.deepEqual(answers.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 413', 'HTTP/1.1 200']);
});

test('schemas refuse wrong types with 422 and places, wrong values with 400, and convert nothing', async () => {
  const shape = await ask('POST', '/api/v1/things', json('{"n":"1"}'));
  assert.equal(shape.status, 422);
  assert.deepEqual([shape.json['error']?.['code'], shape.json['error']?.['param']], ['invalid_request', 'n']);
  assert.deepEqual(shape.json['detail'], [{ type: 'integer_type', loc: ['body', 'n'], msg: 'must be integer' }]);
  const value = await ask('POST', '/api/v1/things', json('{"name":"long"}'));
  assert.deepEqual([value.status, value.json['error']?.['param'], value.json['detail']], [400, 'name', undefined]);
  const choice = await ask('POST', '/api/v1/things', json('{"kind":"image"}'));
  assert.deepEqual([choice.status, choice.json['error']?.['param']], [400, 'kind']);
  assert.equal(choice.json['error']?.['message'], 'kind: must be one of "text", "embedding".');
  for (const body of ['[]', 'null', '1', '"a"'])
    assert.equal((await ask('POST', '/api/v1/things', json(body))).status, 422);
  assert.deepEqual((await ask('POST', '/api/v1/things', { method: 'POST' })).json, { body: {} });
  assert.equal((await ask('POST', '/api/v1/things', json('{'))).status, 400);
});

test('unknown fields of a body are ignored, and the answer names them', async () => {
  const send = (body: unknown) =>
    ask('POST', '/api/v1/things', {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const told = await send({ name: 'abc', nmae: 'x', colour: { red: 1 } });
  assert.equal(told.status, 200);
  assert.equal(told.headers.get('x-fnf-ignored-fields'), 'nmae, colour');
  assert.equal((await send({ name: 'abc' })).headers.get('x-fnf-ignored-fields'), null);
});

test('compat routes see credentials before the body, and their faults carry the retry headers', async () => {
  assert.equal((await ask('POST', chat, json('{'))).status, 401);
  const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
  const broken = await ask('POST', chat, { body: '{', headers });
  assert.deepEqual([broken.status, broken.json['error']?.['code']], [400, 'invalid_request']);
  assert.equal((await ask('POST', chat, { headers: { authorization: 'Bearer x' } })).status, 400);
  const warming = await ask('POST', chat, { body: '{}', headers });
  assert.deepEqual(
    [warming.status, warming.headers.get('retry-after'), warming.headers.get('x-should-retry')],
    [503, '59', 'true'],
  );
});

test('a model id in a path may hold encoded slashes and number signs', async () => {
  const path = '/api/projects/o/p/openai/v1/models/';
  assert.equal((await ask('GET', `${path}training-job%2342`)).json['id'], 'training-job#42');
  assert.equal((await ask('GET', `${path}a%2Fb%20%C3%A9`)).json['id'], 'a/b é');
  for (const name of ['org/model:tag', 'org%2Fmodel:tag', 'org/model%3Atag?beta=/'])
    assert.equal((await ask('GET', path + name)).json['id'], 'org/model:tag', name);
  assert.equal((await ask('POST', `${path}org/model`)).status, 404);
  assert.equal((await ask('GET', path + 'x'.repeat(600))).status, 404);
});

test('a slash behind a list is the name of none of its things', async () => {
  for (const end of ['', '?limit=1']) {
    const { status, json } = await ask('GET', `/api/projects/o/p/openai/v1/models/${end}`);
    assert.deepEqual([status, json['error']?.['code']], [404, 'not_found'], end);
    assert.match(String(json['error']?.['message']), /The base URL of a client ends with/);
  }
});

test('a route without an operation name cannot be registered, and one without access needs a principal', () => {
  const other = createServer({ authenticator: async () => null, probe: async () => {} });
  assert.throws(() => other.get('/x', async () => ({})), /no operation name/);
  other.get('/y', { config: { operation: 'y' } }, async () => ({}));
  assert.equal(other.routeTable.rows.find(({ path }) => path === '/y')?.access, 'account');
});

test('not ready while the database does not answer, yet alive', async () => {
  const other = createServer({ authenticator: async () => null, probe: () => Promise.reject(new Error('down')) });
  const ready = await other.inject('/readyz');
  assert.deepEqual([ready.statusCode, ready.json().error.code], [503, 'service_unavailable']);
  assert.equal((await other.inject('/healthz')).statusCode, 200);
});
