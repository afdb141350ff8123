import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { createStartToken } from '#accounts';
import { seedAccount } from '#test/accounts.ts';
import type { HubServer } from '#test/hub-server.ts';
import { testPassword } from '#test/sessions.ts';
import { startTinyHub, tinyId, tinyRepo } from '#test/tiny-hub.ts';
import { furnish } from '../../src/cli/first-start.ts';
import { assertAccessible } from './axe.ts';
import { hasValue, openStage, pictureFolder, type Stage, seedOwner, settle } from './stage.ts';

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

test('from the printed link to an installed model and a first chat with it', async () => {
  const token = await createStartToken(stage.database, new URL(stage.origin).host);
  const { page, go, leave } = await stage.open();
  await go(`/join#${token}`);
  await page.getByRole('heading', { name: 'Welcome to Fanfold' }).waitFor();
  await page.getByText('signed in as the operator').waitFor();
  await assertAccessible(page, 'the page of the start link');
  await page.getByLabel('E-mail address').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.getByRole('button', { name: 'Set and sign in' }).click();
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();

  await page.getByText('0 of 4 done').waitFor();
  await assertAccessible(page, 'the first page of an operator');
  await page.screenshot({ path: join(await pictureFolder('first-page'), 'first-page.png'), fullPage: true });
  await page.getByRole('link', { name: 'Find a model' }).click();
  await page.getByRole('searchbox', { name: 'Search the hub' }).fill('tiny');
  await page.getByRole('button', { name: `Sizes of ${tinyRepo}` }).click();
  const sizes = page.getByRole('dialog');
  await sizes.getByText('fits', { exact: true }).waitFor();
  await sizes.getByRole('button', { name: 'Install Q8_0' }).click();
  await page.getByText('installed', { exact: true }).waitFor();
  await page.getByRole('rowheader', { name: `Fanfold tiny chat ${tinyId}` }).waitFor();

  await page.getByRole('button', { name: 'Use in a project' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Next' }).click();
  await page.getByRole('dialog').getByLabel('Under which name').selectOption('chat');
  await page.getByRole('dialog').getByRole('button', { name: 'Switch model' }).click();
  await page.waitForURL(/hosted-models\/hm_/);
  await go('/');
  await page.getByText('1 of 4 done').waitFor();
  await page.getByRole('button', { name: 'Hello! Who are you?' }).click();
  await hasValue(page.getByLabel('Message', { exact: true }), 'Hello! Who are you?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page
    .getByText(/\d tokens/)
    .first()
    .waitFor();
  await page
    .getByText(/the Fanfold demo model/)
    .first()
    .waitFor();
  await go('/');
  await page.getByText('2 of 4 done').waitFor();
  await page.getByRole('button', { name: 'Make a key and show the code' }).click();
  const code = (await page.locator('pre').first().textContent()) ?? '';
  const [, key = ''] = /Bearer (fnf_[0-9A-Za-z]{49})/.exec(code) ?? [];
  const answer = await fetch(`${stage.origin}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(answer.status, 200, code);
  const [hosted] = await stage.database.query<{ target: string }>(
    `select target_id as target from hosted_models where alias = 'chat'`,
  );
  assert.equal(hosted?.target, tinyId);
  await leave();
});

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

test('a person is invited by a link, opens an account, gets credits, is suspended and restored', async () => {
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
