import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chat, fileServer, origin } from './server.fixture.ts';

const { ask } = fileServer();

test('listed origins may read answers and send any header after a preflight; others may not', async () => {
  const asked = {
    origin,
    'access-control-request-headers': 'authorization, x-stainless-lang',
    'access-control-request-method': 'POST',
  };
  const preflight = await ask('OPTIONS', chat, { headers: asked });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
  assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization, x-stainless-lang');
  assert.equal(preflight.headers.get('access-control-allow-methods'), 'OPTIONS, POST');
  assert.equal((await ask('GET', '/nope', { headers: { origin } })).headers.get('access-control-allow-origin'), origin);
  const stranger = await ask('OPTIONS', chat, { headers: { ...asked, origin: 'https://evil.example' } });
  assert.equal(stranger.headers.get('access-control-allow-origin'), null);
  assert.equal(stranger.headers.get('vary'), 'origin');
});

test('listed origins may also read why a path is refused, after a preflight, too; others see nothing', async () => {
  const headers = { origin, 'access-control-request-headers': 'authorization', 'access-control-request-method': 'GET' };
  const evil = 'https://evil.example';
  for (const [path, status] of [
    ['/api/v1/%zz', 400],
    [`/api/projects/o/p/openai/v1/models/${'x'.repeat(600)}`, 404],
    ['/api/v1/nope', 404],
  ] as const) {
    const preflight = await ask('OPTIONS', path, { headers });
    assert.equal(preflight.status, 204, path);
    assert.equal(preflight.headers.get('access-control-allow-origin'), origin);
    assert.equal(preflight.headers.get('access-control-allow-headers'), 'authorization');
    assert.ok(preflight.headers.get('access-control-allow-methods')?.split(', ').includes('GET'));
    const refusal = await ask('GET', path, { headers: { origin } });
    assert.equal(refusal.status, status);
    assert.equal(refusal.headers.get('access-control-allow-origin'), origin);
    assert.match(refusal.headers.get('access-control-expose-headers') ?? '', /x-request-id/);
    assert.equal((await ask('OPTIONS', path, { headers: { ...headers, origin: evil } })).status, status);
    const stranger = await ask('GET', path, { headers: { origin: evil } });
    assert.deepEqual([stranger.status, stranger.headers.get('access-control-allow-origin')], [status, null]);
    assert.equal((await ask('OPTIONS', path)).status, status);
  }
});
