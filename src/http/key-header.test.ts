import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { nativeErrors } from './error-envelope.ts';
import { createServer } from './server.ts';

let app: FastifyInstance;
let origin: string;

before(async () => {
  const principal = { accountId: 'acc_1', accountSlug: 'a', role: 'user', method: 'api_key' } as const;
  app = createServer({
    // Whoever has a key that begins rightly is somebody.
    authenticator: async ({ authorization = '' }) =>
      /^Bearer fnf_/.test(authorization)
        ? { ...principal, keyId: authorization.slice('Bearer '.length), keyName: null, sessionId: null }
        : null,
    probe: async () => {},
  });
  const envelope = { ...nativeErrors, everyAnswer: (id: string) => ({ 'request-id': id }) };
  const config = { operation: 'things.get', envelope, keyHeader: 'x-api-key' } as const;
  app.get('/with', { config }, async ({ principal: { keyId } }) => ({ keyId }));
  app.get('/without', { config: { operation: 'things.list' } }, async ({ principal: { keyId } }) => ({ keyId }));
  origin = await app.listen({ host: '127.0.0.1', port: 0 });
});

after(() => app.close());

async function ask(path: string, headers: Record<string, string>) {
  const response = await fetch(origin + path, { headers });
  const { keyId } = Object(await response.json());
  return { status: response.status, keyId, requestId: response.headers.get('request-id') };
}

test('a key in the field that its route names is as good as one in authorization, where the right one counts', async () => {
  const cases: [Record<string, string>, string | undefined][] = [
    [{ 'x-api-key': 'fnf_1' }, 'fnf_1'],
    [{ authorization: 'Bearer fnf_2' }, 'fnf_2'],
    [{ 'x-api-key': 'fnf_1', authorization: 'Bearer fnf_2' }, 'fnf_2'],
    [{ 'x-api-key': 'fnf_1', authorization: 'Bearer sk-other' }, 'fnf_1'],
    [{ 'x-api-key': 'fnf_1', authorization: 'Basic dTpw' }, 'fnf_1'],
    [{ 'x-api-key': '' }, undefined],
    [{ 'x-api-key': 'sk-other' }, undefined],
    [{}, undefined],
  ];
  for (const [headers, keyId] of cases) {
    const answer = await ask('/with', headers);
    assert.deepEqual([answer.status, answer.keyId], [keyId ? 200 : 401, keyId], JSON.stringify(headers));
  }
  assert.equal((await ask('/without', { 'x-api-key': 'fnf_1' })).status, 401);
});

test('what an interface sends with every answer comes with good and bad ones of its routes only', async () => {
  for (const key of ['fnf_1', 'nothing'])
    assert.match((await ask('/with', { 'x-api-key': key })).requestId ?? '', /^req_/);
  assert.equal((await ask('/without', { authorization: 'Bearer fnf_1' })).requestId, null);
});

test('a second key in the same field is refused', async () => {
  const status = await new Promise((resolve) => {
    const headers = ['host', 'localhost', 'X-API-Key', 'fnf_1', 'x-api-key', 'fnf_2'];
    request(`${origin}/with`, { headers, setHost: false }, (response) => resolve(response.resume().statusCode)).end();
  });
  assert.equal(status, 400);
});
