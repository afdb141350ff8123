import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedPassword, testPassword } from '#test/sessions.ts';
import { assertAccessible } from './axe.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('an account is deleted with its password and its URL name, and the sign-in page says so', async () => {
  const owner = await seedOwner(stage.database);
  await seedPassword(stage.database, owner);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^403 .*\/account\/delete$/] });
  await go('/account');
  await page.getByRole('link', { name: 'Download' }).waitFor();
  await assertAccessible(page, 'your data');
  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete your account?' });
  await dialog.getByText('Your remaining credits (100.00).').waitFor();
  await assertAccessible(page, 'delete account');
  const confirm = dialog.getByRole('button', { name: 'Delete account' });
  const password = dialog.getByLabel('Password', { exact: true });
  await password.fill('wrong');
  assert.equal(await confirm.isDisabled(), true);
  await dialog.getByLabel(`Type ${owner.slug} to confirm`).fill(owner.slug);
  await confirm.click();
  await dialog.getByText('The password is wrong.').waitFor();
  await assertAccessible(page, 'delete account with a wrong password');
  await password.fill(testPassword);
  await confirm.click();
  await page.getByText('Your account was deleted.').waitFor();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const sessions = await stage.database.query('select from auth_sessions where account_id = $1', [owner.accountId]);
  assert.equal(sessions.length, 0);
  await leave();
});

test('the last operator is told what helps', async () => {
  const owner = await seedOwner(stage.database);
  await seedPassword(stage.database, owner);
  await stage.database.query(`update accounts set role = 'admin' where id = $1`, [owner.accountId]);
  const { page, go, leave } = await stage.open({ ...owner, locale: 'zh-CN', expected: [/^409 .*\/account\/delete$/] });
  await go('/account');
  await page.getByRole('button', { name: '删除账户' }).click();
  const dialog = page.getByRole('dialog', { name: '删除你的账户？' });
  await dialog.getByLabel('密码', { exact: true }).fill(testPassword);
  await dialog.getByLabel(`输入 ${owner.slug} 以确认`).fill(owner.slug);
  await dialog.getByRole('button', { name: '删除账户' }).click();
  await dialog.getByText('请先在“人员”页面将另一个账户设为运营者。').waitFor();
  await leave();
});
