import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import type { HubServer } from '#test/hub-server.ts';
import { testPassword } from '#test/sessions.ts';
import { startTinyHub } from '#test/tiny-hub.ts';
import { furnish } from '../../src/cli/first-start.ts';
import { assertAccessible } from './axe.ts';
import { openStage, pictureFolder, type Stage, seedOwner, settle } from './stage.ts';

let hub: HubServer;
let stage: Stage;

before(async () => {
  hub = await startTinyHub();
  stage = await openStage({ settings: { HF_ENDPOINT: hub.url } });
  await furnish(stage.database, stage.app.models);
});

after(async () => {
  await stage?.close();
  await hub?.close();
});

const operatorId = async () => {
  const [row] = await stage.database.query<{ id: string }>(`select id from accounts where slug = 'local'`);
  return row?.id ?? assert.fail('there is no local account');
};

test('the link works once, and says so afterwards', async () => {
  const { page, go, leave } = await stage.open({ expected: [/^403 \/api\/v1\/auth\/invitation$/] });
  await go('/join#0123456789abcdef0123456789abcdef');
  await page.getByRole('alert').waitFor();
  await page.getByText('ask for a new one').first().waitFor();
  await leave();
});

const pages = {
  models: 'Installed models',
  'serving-routes': 'Serving routes',
  people: 'Accounts',
  jobs: 'Running processes',
  health: 'Health',
  settings: 'Settings',
};

test('each page for operators can be used by everybody who is one, on every screen', async () => {
  const folder = await pictureFolder('operator');
  for (const screen of ['light', 'dark', 'phone'] as const) {
    const { page, go, leave } = await stage.open({
      accountId: await operatorId(),
      colorScheme: screen === 'dark' ? 'dark' : 'light',
      ...(screen === 'phone' ? { viewport: { width: 390, height: 844 } } : {}),
    });
    for (const [name, title] of Object.entries(pages)) {
      await go(`/operator/${name}`);
      await page.getByRole('heading', { level: 2, name: title, exact: true }).waitFor();
      await settle(page);
      await assertAccessible(page, `${name}, ${screen}`);
      await page.screenshot({ path: join(folder, `${name}-${screen}.png`), fullPage: true });
    }
    await leave();
  }
});

test('to everybody else there is no such page', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/');
  assert.equal(await page.getByRole('link', { name: 'Operator' }).count(), 0);
  await go('/operator/people');
  await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
  await leave();
});

test('a person is invited by a link, opens an account, gets credits, is suspended, restored and deleted', async () => {
  const { page, go, leave } = await stage.open({ accountId: await operatorId() });
  await go('/operator/people');
  await page.getByRole('button', { name: 'Invite' }).click();
  await page.getByRole('dialog').getByLabel('E-mail address').fill('eve@example.com');
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
  const link = await page.getByRole('dialog').getByRole('textbox', { name: 'Link' }).inputValue();
  await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click();

  const guest = await stage.open();
  await guest.go(link.slice(stage.origin.length));
  await guest.page.getByLabel('Password', { exact: true }).fill(testPassword);
  await guest.page.getByRole('button', { name: 'Create account' }).click();
  await guest.page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await guest.leave();

  await go('/operator/people');
  const row = page.getByRole('row', { name: /eve@example\.com/ });
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Grant credits' }).click();
  await page.getByRole('dialog').getByLabel('Credits').fill('12.5');
  await page.getByRole('dialog').getByRole('button', { name: 'Grant credits' }).click();
  await row.getByText('12.5').waitFor();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await row.getByText('suspended').waitFor();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Restore' }).click();
  await row.getByText('active').waitFor();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Suspend' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await row.getByText('suspended').waitFor();
  await row.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const [eve] = await stage.database.query<{ slug: string }>(
    `select slug from accounts where email = 'eve@example.com'`,
  );
  await assertAccessible(page, 'delete an account');
  await page
    .getByRole('dialog')
    .getByLabel(`Type ${eve?.slug} to confirm`)
    .fill(eve?.slug ?? '');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  await leave();
});

test('sign-up is opened with credits for those who come', async () => {
  await seedAccount(stage.database);
  const { page, go, leave } = await stage.open({ accountId: await operatorId() });
  await go('/operator/people');
  await page.getByRole('combobox', { name: 'Sign-up' }).selectOption('open');
  await page.getByLabel('Credits of a new account').fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It holds from the next sign-up on').waitFor();
  const answer = await fetch(`${stage.origin}/api/v1/auth/options`);
  assert.equal(Object(await answer.json()).sign_up, 'open');
  await leave();
});
