import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { fault } from '#kernel';
import type { Principal } from './auth-hook.ts';
import { createServer } from './server.ts';

const principal: Principal = {
  accountId: 'acc_1',
  accountSlug: 'a',
  role: 'user',
  method: 'session',
  keyId: null,
  keyName: null,
  sessionId: 'ses_1',
};

let app: FastifyInstance;
let base = '';

before(async () => {
  app = createServer({
    authenticator: async ({ cookie }) => (cookie === 'session=good' ? principal : null),
    probe: async () => {},
  });
  app.get('/api/v1/me', { config: { operation: 'me' } }, async () => ({ account: 'a' }));
  app.get('/api/v1/gone', { config: { operation: 'gone' } }, async () => {
    throw fault('not_found');
  });
  app.get('/api/v1/file', { config: { operation: 'file' } }, async (_request, reply) =>
    reply.header('cache-control', 'private, no-cache').send({}),
  );
  app.get('/api/v1/prices', { config: { operation: 'prices', access: 'public' } }, async () => ({}));
  base = await app.listen({ host: '127.0.0.1', port: 0 });
});

after(() => app.close());

test('no cache keeps what belongs to one account, refusals included, unless its route says how', async () => {
  const kept = async (path: string, cookie = 'session=good') =>
    (await fetch(`${base}/api/v1/${path}`, { headers: { cookie } })).headers.get('cache-control');
  assert.deepEqual(
    [await kept('me'), await kept('gone'), await kept('me', 'session=bad'), await kept('file'), await kept('prices')],
    ['no-store', 'no-store', 'no-store', 'private, no-cache', null],
  );
});
