import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedProject } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a project is deleted once its URL name was typed, and its address is free', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Lamps' });
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${owner.slug}/${slug}/settings`);
  await page.getByRole('button', { name: 'Delete project' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete “Lamps”?' });
  await dialog.getByText('Training jobs with their trained models: 0').waitFor();
  await assertAccessible(page, 'delete project');
  const confirm = dialog.getByRole('button', { name: 'Delete project' });
  await dialog.getByLabel(`Type ${slug} to confirm`).fill('lamps');
  assert.equal(await confirm.isDisabled(), true);
  await dialog.getByLabel(`Type ${slug} to confirm`).fill(slug);
  await confirm.click();
  await page.getByText('“Lamps” was deleted.').waitFor();
  await page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'Lamps', exact: true }).count(), 0);
  await seedProject(stage.database, { accountId: owner.accountId, name: 'Lamps again', slug });
  await go('/projects');
  await page.getByRole('link', { name: 'Lamps again', exact: true }).click();
  await page.getByRole('heading', { name: 'Lamps again' }).waitFor();
  await leave();
});
