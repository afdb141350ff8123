import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, systemClock } from '#kernel';
import { createKeyUsage } from '#keys';
import { bearer, seedAccount, seedKey, seedProject } from '#test/accounts.ts';
import { fileDatabase } from '#test/file-database.ts';
import { createAdmission } from './admission.ts';

const database = fileDatabase();

/** Asks for a project with a new key, and tells the refusal and whether the key counts as used. */
async function ask(slugOf: (mine: string) => string, change = 'select $1::text') {
  const sql = database();
  const account = await seedAccount(sql);
  const project = await seedProject(sql, { accountId: account.accountId });
  const { key, keyId } = await seedKey(sql, account);
  await sql.query(change, [account.accountId]);
  const keyUsage = createKeyUsage({ sql, clock: systemClock });
  const admit = createAdmission({ sql, keyUsage });
  const place = { ownerSlug: account.slug, projectSlug: slugOf(project.slug), model: null };
  const refusal = await admit(bearer(key), place).then(
    () => null,
    (error: unknown) => (error instanceof Fault ? error.fault : String(error)),
  );
  await keyUsage.flush();
  const [row] = await sql.query<{ used: boolean }>(
    'select last_used_at is not null as used from api_keys where id = $1',
    [keyId],
  );
  return { refusal, isUsed: row?.used };
}

test('a key that authenticates counts as used, also where the project is unknown or archived', async () => {
  const same = (mine: string) => mine;
  assert.deepEqual(await ask(same), { refusal: null, isUsed: true });
  assert.deepEqual(await ask(() => 'never-was'), { refusal: 'project_not_found', isUsed: true });
  const archive = 'update projects set archived_at = now() where account_id = $1';
  assert.deepEqual(await ask(same, archive), { refusal: 'state_conflict', isUsed: true });
});

test('a key that does not authenticate, or whose account is suspended, does not count as used', async () => {
  const deactivate = 'update api_keys set active = false where account_id = $1';
  assert.deepEqual(await ask((mine) => mine, deactivate), { refusal: 'invalid_credentials', isUsed: false });
  const suspend = "update accounts set status = 'suspended' where id = $1";
  assert.deepEqual(await ask((mine) => mine, suspend), { refusal: 'account_suspended', isUsed: false });
});
