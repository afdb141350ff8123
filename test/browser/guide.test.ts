import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { grant } from '#billing';
import { seedAccount } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { openStage, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a new account is led from nothing to its first call, which the page notices by itself', async () => {
  const account = await seedAccount(stage.database);
  await stage.database.transaction((tx) =>
    grant(tx, { accountId: account.accountId, micro: 5_000_000n, note: 'Hello' }),
  );
  const { page, go, leave } = await stage.open({ ...account, permissions: ['clipboard-read', 'clipboard-write'] });
  await go('/');
  await page.getByText('0 of 5 done').waitFor();
  await page.getByRole('button', { name: 'Make a project' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Help desk');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Help desk' }).waitFor();
  await page.getByRole('heading', { name: 'What you can do next' }).waitFor();
  await settle(page);
  await assertAccessible(page, 'new project');

  await page.getByRole('link', { name: 'Dashboard' }).click();
  await page.getByText('1 of 5 done').waitFor();
  await page.getByRole('button', { name: 'Create an API key' }).click();
  await dialog.getByRole('button', { name: 'Create key' }).click();
  const key = (await dialog.locator('output').textContent()) ?? '';
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Waiting for your call').waitFor();
  await assertAccessible(page, 'first steps');
  await page.getByRole('group', { name: 'curl' }).getByRole('button', { name: 'Copy' }).click();
  const command = String(await page.evaluate('navigator.clipboard.readText()'));
  const { stdout } = await promisify(execFile)('sh', ['-c', command.replace('curl ', 'curl -s ')], {
    env: { PATH: process.env['PATH'], FANFOLD_KEY: key },
    timeout: 60_000,
  });
  assert.match(stdout, /"object":"chat.completion"/);
  await page.getByText('3 of 5 done').waitFor();
  await leave();
});
