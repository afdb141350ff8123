import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialOf, seal, unseal } from './seal.ts';

const owner = { credential: 'fnf_1', accountId: 'acc_1', key: 'k' };
const body = Buffer.from('{"key":"fnf_new"}');

test('what is sealed is opened by the same credential, account and key only', () => {
  const sealed = seal(body, owner);
  assert.ok(!sealed.includes('fnf_new'));
  assert.deepEqual(unseal(sealed, owner), body);
  for (const other of [{ credential: 'fnf_2' }, { accountId: 'acc_2' }, { key: 'l' }])
    assert.equal(unseal(sealed, { ...owner, ...other }), null);
});

test('a sealed body that was changed in any byte is not opened', () => {
  const sealed = seal(body, owner);
  for (const at of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.equal(unseal(changed, owner), null);
  }
});

test('the credential is the key or the session, however it is sent and whatever other cookies there are', () => {
  assert.equal(credentialOf({ authorization: 'Bearer fnf_1' }), 'fnf_1');
  assert.equal(credentialOf({ authorization: 'bearer  fnf_1', cookie: 'fanfold_session=t' }), 'fnf_1');
  for (const cookie of [
    'fanfold_session=t',
    'a=1; fanfold_session=t; b=2',
    '__Host-fanfold_session=t',
    // Of another program on this host, whose ports share their cookies.
    'session=u; my_session=v; fanfold_session=t',
  ])
    assert.equal(credentialOf({ cookie }), 't');
});
