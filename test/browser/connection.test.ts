import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { assertAccessible } from './axe.ts';
import { say, seedPlace } from './playground-world.ts';
import { openStage, pictureFolder, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const isApi = /\/api\//;
const banner = (page: Page) => page.getByRole('alert').filter({ hasText: 'The server cannot be reached. Changes' });
const notices = (page: Page) => page.locator('.mantine-Notification-root');

/** Tries to use a key again, which says in the corner what became of it. */
async function activate(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'More actions for First key' }).click();
  await page.getByRole('menuitem', { name: 'Activate' }).click();
  await page.getByRole('menu').waitFor({ state: 'detached' });
}

test('a lost connection is told once, and the banner goes when the server answers again', async () => {
  const owner = await seedOwner(stage.database);
  await stage.database.query('update api_keys set active = false where id = $1', [owner.keyId]);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  await page.route(isApi, (route) => route.abort());
  await activate(page);
  await banner(page).waitFor();
  await activate(page);
  await banner(page).getByRole('button', { name: 'Try again' }).click();
  assert.equal(await banner(page).count(), 1);
  assert.equal(await notices(page).count(), 0);
  await assertAccessible(page, 'without a connection');
  const folder = await pictureFolder('connection');
  await page.screenshot({ path: `${folder}/banner.png` });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.screenshot({ path: `${folder}/banner-phone.png` });

  await page.unroute(isApi);
  await banner(page).waitFor({ state: 'detached' });
  await activate(page);
  await notices(page).waitFor();
  await leave();
});

test('parts that could not be read are read again when the server is back', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/projects');
  await page.route(isApi, (route) => route.abort());
  await page.getByRole('link', { name: 'API keys' }).click();
  await banner(page).waitFor();
  await page.getByRole('main').getByRole('alert').waitFor();
  await page.unroute(isApi);
  await page.getByText('First key').waitFor();
  await banner(page).waitFor({ state: 'detached' });
  await leave();
});

test('a single request that gets no answer is no lost connection', async () => {
  const owner = await seedOwner(stage.database);
  await stage.database.query('update api_keys set active = false where id = $1', [owner.keyId]);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  await page.route(/\/activate$/, (route) => route.abort());
  await activate(page);
  await notices(page).filter({ hasText: 'offline' }).waitFor();
  assert.equal(await banner(page).count(), 0);
  await leave();
});

test('an error in the corner shows what to do, its code and the id of its request', async () => {
  const owner = await seedOwner(stage.database);
  await stage.database.query('update api_keys set active = false where id = $1', [owner.keyId]);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/activate$/] });
  await go('/keys');
  await stage.database.query('delete from api_keys where id = $1', [owner.keyId]);
  await activate(page);
  await notices(page)
    .filter({ hasText: /Check the address.*not_found\s*req_/ })
    .waitFor();
  await leave();
});

test('a failed call in the playground is one click away from its request', async () => {
  const { owner, projectId, path } = await seedPlace(stage);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^4\d\d .*\/messages$/] });
  await go(path);
  await stage.database.query(`update hosted_models set alias = 'renamed' where project_id = $1`, [projectId]);
  await say(page, 'Hello!');
  const error = page.getByRole('alert').filter({ hasText: 'model_not_found' });
  await error.getByRole('link', { name: 'Find this request' }).click();
  await page.waitForURL(/\/requests\?id=req_/);
  await page.getByRole('dialog').getByText('model_not_found').first().waitFor();
  await leave();
});
