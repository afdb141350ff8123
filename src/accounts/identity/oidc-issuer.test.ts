import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { startApp } from '#test/app.ts';
import { fileDatabase } from '#test/file-database.ts';

const database = fileDatabase();

test('a provider that says it is another one, or not who it is, signs nobody in until that is mended', async () => {
  let said: string | undefined = 'https://elsewhere.example';
  const provider = createServer((_, response) => {
    const endpoints = { authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` };
    response.end(JSON.stringify({ issuer: said, jwks_uri: `${issuer}/jwks`, ...endpoints }));
  });
  await once(provider.listen(0, '127.0.0.1'), 'listening');
  // as: a server that listens at a port has an address of this kind.
  const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  const settings = {
    FANFOLD_PUBLIC_URL: 'https://fanfold.example',
    FANFOLD_OIDC_ISSUER: issuer,
    FANFOLD_OIDC_CLIENT_ID: 'fanfold',
  };
  const app = await startApp(database(), { settings });
  const depart = async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${app.origin}/api/v1/auth/sign-in/oidc`, { method: 'POST', headers, body: '{}' });
    return answer.status;
  };
  try {
    assert.equal(await depart(), 503, 'another one');
    said = undefined;
    assert.equal(await depart(), 503, 'nobody');
    said = `${issuer}/`;
    assert.equal(await depart(), 200, 'itself, but for a slash');
  } finally {
    await app.stop();
    provider.close();
  }
});
