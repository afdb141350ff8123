import assert from 'node:assert/strict';
import { test } from 'node:test';
import fastify from 'fastify';
import { acceptJson } from './body.ts';
import { defaultBounds } from './json-guard.ts';

test('an error of ours while a body is read fails its request, and nothing else', async () => {
  await using app = fastify();
  acceptJson(app);
  const [bound = ''] = Object.keys(defaultBounds);
  const faulty = Object.defineProperty({}, bound, {
    enumerable: true,
    get: () => {
      throw new TypeError('a bug');
    },
  });
  app.post('/faulty', { config: { json: faulty } }, async () => 'read');
  app.post('/sound', async () => 'read');
  const headers = { 'content-type': 'application/json' };
  const post = (url: string) => app.inject({ method: 'POST', url, headers, payload: '{}' });
  const answers = await Promise.all(['/faulty', '/sound'].map(post));
  assert.deepEqual(
    answers.map(({ statusCode }) => statusCode),
    [500, 200],
  );
});
