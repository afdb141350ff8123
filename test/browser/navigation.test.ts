import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { seedProject } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { seedPlace } from './playground-world.ts';
import { openStage, pictureFolder, type Stage, seedOwner, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

const phone = { width: 390, height: 844 };

const switcher = (page: Page): Locator => page.getByRole('button', { name: /^Switch project/ });

test('the side bar has the pages of the project in the address, keeps the last one elsewhere, and switches between all', async () => {
  const { owner, slug } = await seedPlace(stage);
  await seedProject(stage.database, { accountId: owner.accountId, kind: 'embedding', name: 'Product search' });
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${owner.slug}/${slug}/data`);
  const pages = page.getByRole('navigation', { name: 'Project Help desk' });
  await pages.locator('[data-active]').getByText('Data').waitFor();
  await pages.getByRole('link', { name: 'Models' }).click();
  await page.waitForURL(/hosted-models$/);
  assert.deepEqual(await pages.getByRole('link').allTextContents(), ['Playground', 'Data', 'Training', 'Models']);

  await go('/keys');
  await switcher(page).getByText('Help desk').waitFor();
  await pages.getByRole('link', { name: 'Training' }).click();
  await page.waitForURL(/training-jobs$/);
  await settle(page);

  await switcher(page).click();
  const search = page.getByRole('combobox', { name: 'Search projects' });
  const options = page.getByRole('listbox').getByRole('option');
  await options.nth(1).waitFor();
  assert.match((await options.first().textContent()) ?? '', /Help desk/, 'the last one that was used is the first');
  await assertAccessible(page, 'the list of projects');
  const folder = await pictureFolder('navigation');
  await page.screenshot({ path: `${folder}/switcher.png` });
  await search.fill('product');
  await options.nth(1).waitFor({ state: 'detached' });
  await search.press('Enter');
  await page.waitForURL(/training-jobs$/);
  await page.getByRole('navigation', { name: 'Project Product search' }).waitFor();
  assert.doesNotMatch(page.url(), new RegExp(`/${slug}/`));
  await leave();
});

test('of a shared project the side bar has what there is for others, and nothing where there is no project', async () => {
  const { owner, slug, projectId } = await seedPlace(stage);
  const friend = await seedOwner(stage.database);
  await stage.database.query(`update hosted_models set visibility = 'public' where project_id = $1`, [projectId]);
  await stage.database.query(`update projects set visibility = 'public' where id = $1`, [projectId]);
  const { page, go, leave } = await stage.open(friend);
  await go('/');
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  assert.equal(await switcher(page).count(), 0);
  await go(`/projects/${owner.slug}/${slug}`);
  const pages = page.getByRole('navigation', { name: 'Project Help desk' });
  await pages.getByRole('link', { name: 'Overview' }).waitFor();
  assert.deepEqual(await pages.getByRole('link').allTextContents(), ['Overview', 'Requests']);
  await leave();
});

test('on a phone, in the dark and in Chinese the drawer has the switcher', async () => {
  const { owner, slug } = await seedPlace(stage);
  const { page, go, leave } = await stage.open({
    ...owner,
    viewport: phone,
    colorScheme: 'dark',
    locale: 'zh-CN',
  });
  await go(`/projects/${owner.slug}/${slug}/data`);
  await page.getByRole('button', { name: '打开导航' }).click();
  const drawer = page.getByRole('dialog');
  await drawer.getByRole('button', { name: /^切换项目/ }).click();
  await page.getByRole('option', { name: /Help desk/ }).waitFor();
  await assertAccessible(page, 'the drawer');
  const folder = await pictureFolder('navigation');
  await page.screenshot({ path: `${folder}/drawer.png` });
  await page.keyboard.press('Escape');
  await page.getByRole('option').waitFor({ state: 'detached' });
  await drawer.getByRole('link', { name: '训练' }).click();
  await page.waitForURL(/training-jobs$/);
  await drawer.waitFor({ state: 'detached' });
  await leave();
});

test('Ctrl-K finds pages, projects, models, jobs and datasets by keyboard, those of the current project first', async () => {
  const { owner, slug, projectId } = await seedPlace(stage);
  const other = await seedProject(stage.database, { accountId: owner.accountId, name: 'Second desk' });
  for (const [id, project] of [
    ['ds_a', other.projectId],
    ['ds_b', projectId],
  ])
    await stage.database.query(
      `insert into datasets (id, project_id, name, search_text, kind, created_at) values ($1, $2, 'Help texts', 'help texts', 'text', now())`,
      [id, project],
    );
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${owner.slug}/${other.slug}`);
  await go(`/projects/${owner.slug}/${slug}/data`);
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog', { name: 'Search or go to' });
  const field = dialog.getByRole('combobox');
  await field.press('h');
  await field.fill('help');
  const group = (name: string) => dialog.getByRole('group', { name });
  await group('Projects')
    .getByRole('option', { name: /Help desk/ })
    .waitFor();
  await group('Hosted models')
    .getByRole('option', { name: /helper/ })
    .waitFor();
  const texts = group('Datasets').getByRole('option');
  await texts.nth(1).waitFor();
  assert.match((await texts.first().textContent()) ?? '', new RegExp(`/${slug}$`));
  await assertAccessible(page, 'palette');
  const folder = await pictureFolder('navigation');
  await page.screenshot({ path: `${folder}/palette.png` });

  await field.press('ArrowUp');
  const last = await dialog.getByRole('option').last().getAttribute('id');
  assert.equal(await field.getAttribute('aria-activedescendant'), last);
  await field.press('ArrowDown');
  await field.fill('credits');
  await dialog.getByRole('option', { name: 'Credits' }).waitFor();
  await field.press('Enter');
  await page.waitForURL(/\/credits$/);
  await dialog.waitFor({ state: 'detached' });
  await page.locator('h1:focus').waitFor();

  await page.getByRole('button', { name: 'Search or go to' }).click();
  await field.fill('operator');
  await dialog.getByText('Nothing found').waitFor();
  await field.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.locator('button:focus').getByText('Search or go to').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog').getByText('Ctrl').waitFor();
  await leave();
});

test('an operator finds the pages for operators', async () => {
  const owner = await seedOwner(stage.database);
  await stage.database.query(`update accounts set role = 'admin' where id = $1`, [owner.accountId]);
  const { page, go, leave } = await stage.open({ ...owner, viewport: phone });
  await go('/');
  await page.getByRole('button', { name: 'Search or go to' }).click();
  const field = page.getByRole('combobox');
  await field.fill('people');
  await page.getByRole('option', { name: /People Operator/ }).click();
  await page.waitForURL(/\/operator\/people$/);
  await leave();
});

test('answers to an earlier text of the search are dropped', async () => {
  const { owner, slug } = await seedPlace(stage);
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${owner.slug}/${slug}`);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/v1\/projects\?.*q=help(&|$)/, async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  await page.keyboard.press('Control+k');
  const dialog = page.getByRole('dialog');
  const field = dialog.getByRole('combobox');
  const isAsked = page.waitForRequest(/\/api\/v1\/projects\?.*q=help(&|$)/);
  await field.fill('help');
  await isAsked;
  await field.fill('nothing like it');
  await dialog.getByText('Nothing found').waitFor();
  release();
  await field.press('ArrowDown');
  assert.equal(await dialog.getByRole('option').count(), 0);
  await leave();
});

test('a project that was used lately and is deleted by now keeps the search from nothing', async () => {
  const { owner, slug } = await seedPlace(stage);
  const gone = await seedProject(stage.database, { accountId: owner.accountId, name: 'Short-lived' });
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/datasets\?/] });
  await go(`/projects/${owner.slug}/${gone.slug}`);
  await go(`/projects/${owner.slug}/${slug}`);
  await stage.database.query('update all_projects set deleted_at = now(), removal_due_at = now() where id = $1', [
    gone.projectId,
  ]);
  await page.keyboard.press('Control+k');
  const missing = page.waitForResponse(
    (response) => response.status() === 404 && response.url().includes(`/${gone.slug}/datasets`),
  );
  await page.getByRole('dialog').getByRole('combobox').fill('helper');
  await missing;
  await page.getByRole('group', { name: 'Hosted models' }).getByRole('option').first().waitFor();
  await leave();
});
