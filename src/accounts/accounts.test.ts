import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { constraintOf } from '#db';
import { Fault, type FaultName } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { findAccountBySlug, listAccounts } from './accounts.store.ts';
import { createAccount } from './accounts.ts';
import { installationSecret } from './installation.store.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

const refused = (name: FaultName, param: string) => (error: unknown) =>
  error instanceof Fault && error.fault === name && error.options.param === param;

test('an account starts active, without credits, under its slug', async () => {
  const account = await createAccount(db.database, { slug: 'acme', displayName: 'Acme Ltd' });
  assert.deepEqual([account.role, account.status, account.displayName], ['user', 'active', 'Acme Ltd']);
  assert.deepEqual(await findAccountBySlug(db.database, 'acme'), account);
  assert.equal(await findAccountBySlug(db.database, 'ACME'), null);
  assert.ok((await listAccounts(db.database)).some(({ id }) => id === account.id));
});

test('of twenty accounts with one slug at the same time one is made', async () => {
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, () => createAccount(db.database, { slug: 'race' })),
  );
  assert.equal(attempts.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const attempt of attempts)
    if (attempt.status === 'rejected') assert.ok(refused('slug_taken', 'slug')(attempt.reason));
});

test('what is no slug is refused', async () => {
  for (const slug of [
    '',
    '-a',
    'a-',
    'A',
    'a_b',
    'a b',
    'a/b',
    '..',
    'ä',
    'a\n',
    'x'.repeat(65),
    'new',
    'api',
    'settings',
    '\u0430',
  ])
    await assert.rejects(createAccount(db.database, { slug }), refused('invalid_request', 'slug'), slug);
  for (const slug of ['a', '0', 'a-b', 'a--b', 'x'.repeat(64)]) await createAccount(db.database, { slug });
});

test('every replica has the same installation secret, whoever asks first, and every name its own', async () => {
  const secrets = await Promise.all(Array.from({ length: 10 }, () => installationSecret(db.database, 'cursor')));
  for (const secret of secrets) assert.deepEqual(secret, secrets[0]);
  assert.equal(secrets[0]?.length, 32);
  assert.notDeepEqual(await installationSecret(db.database, 'other'), secrets[0]);
});

test('an account breaks none of its rules, neither when it is made nor when it is changed', async () => {
  const { id } = await createAccount(db.database, { slug: 'ruled' });
  for (const [column, value, rule] of [
    ['slug', 'Not A Slug', 'accounts_slug_check'],
    ['email', 'Ann@Example.org', 'accounts_email_is_folded'],
    ['avatar_url', 'x'.repeat(2049), 'accounts_avatar_url_check'],
    ['locale', '', 'accounts_locale_check'],
    ['role', 'king', 'accounts_role_check'],
    ['status', 'asleep', 'accounts_status_check'],
    ['requests_per_minute', '0', 'accounts_requests_per_minute_check'],
    ['operator_requests_per_minute', '0', 'accounts_operator_requests_per_minute_check'],
    ['operator_concurrent_requests', '10001', 'accounts_operator_concurrent_requests_check'],
    ['operator_credits_per_day_micro', '-1', 'accounts_operator_credits_per_day_micro_check'],
    ['concurrent_requests', '10001', 'accounts_concurrent_requests_check'],
    ['credits_per_day_micro', '-1', 'accounts_credits_per_day_micro_check'],
    ['max_active_keys', '-1', 'accounts_max_active_keys_check'],
    ['max_projects', '-1', 'accounts_max_projects_check'],
    ['held_micro', '1', 'accounts_never_overdrawn'],
  ]) {
    const broken = (error: unknown) => constraintOf(error) === rule;
    await assert.rejects(db.database.query(`update accounts set ${column} = $2 where id = $1`, [id, value]), broken);
    const slug = column === 'slug' ? value : 'another';
    const others = column === 'slug' ? '' : `, ${column}`;
    await assert.rejects(
      db.database.query(
        `insert into accounts (id, slug, display_name${others}) values ('acc_broken', $1, 'x'${others && ', $2'})`,
        others ? [slug, value] : [slug],
      ),
      broken,
    );
  }
});
