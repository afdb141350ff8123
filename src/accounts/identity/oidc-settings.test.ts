import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { OperatorError } from '#kernel';
import { oidcSettingsOf } from './oidc.ts';

const nothing = {
  signUp: 'closed' as const,
  oidcIssuer: null,
  oidcClientId: null,
  oidcClientSecret: null,
  oidcClientSecretFile: null,
  oidcName: 'Single sign-on',
};

const provider = { ...nothing, oidcIssuer: 'https://id.example/realms/people/', oidcClientId: 'fanfold' };

test('an identity provider is configured whole or not at all', () => {
  assert.equal(oidcSettingsOf(nothing), null);
  for (const half of [{ oidcIssuer: 'https://id.example' }, { oidcClientId: 'fanfold' }])
    assert.throws(
      () => oidcSettingsOf({ ...nothing, ...half }),
      (error) => error instanceof OperatorError && /^FANFOLD_OIDC_\w+ needs FANFOLD_OIDC_\w+\.$/.test(error.message),
    );
  assert.deepEqual(oidcSettingsOf(provider), {
    issuer: 'https://id.example/realms/people',
    clientId: 'fanfold',
    clientSecret: null,
    name: 'Single sign-on',
  });
});

test('signing up by an identity provider needs one', () => {
  const message = /^FANFOLD_SIGNUP=oidc needs FANFOLD_OIDC_ISSUER/;
  assert.throws(
    () => oidcSettingsOf({ ...nothing, signUp: 'oidc' }),
    (error) => error instanceof OperatorError && message.test(error.message),
  );
  assert.ok(oidcSettingsOf({ ...provider, signUp: 'oidc' }));
});

test('the secret of the client can lie in a file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'fanfold-oidc-'));
  t.after(() => rm(folder, { recursive: true }));
  const oidcClientSecretFile = join(folder, 'secret');
  await writeFile(oidcClientSecretFile, 'very secret\n');
  assert.equal(oidcSettingsOf({ ...provider, oidcClientSecretFile })?.clientSecret, 'very secret');
  assert.throws(
    () => oidcSettingsOf({ ...provider, oidcClientSecretFile: join(folder, 'nowhere') }),
    (error) => error instanceof OperatorError && error.message.includes('cannot be read'),
  );
});
