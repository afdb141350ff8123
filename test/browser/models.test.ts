import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { addModel, insertHostedModel } from '#models';
import { bearer, seedProject } from '#test/accounts.ts';
import { assertAccessible } from './axe.ts';
import { answered, openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

/** What the interface answers to a call of the alias with a key. */
async function statusOfCall(key: string, path: string, model: string): Promise<number> {
  const response = await fetch(`${stage.origin}/api/projects/${path}/openai/v1/embeddings`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'fold a paper fan' }),
  });
  await response.body?.cancel();
  return response.status;
}

test('an alias is made, checked, called, switched off and on again', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, kind: 'embedding' });
  const path = `${owner.slug}/${slug}`;
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}`);
  await page.getByRole('navigation', { name: 'Pages of the project' }).getByRole('link', { name: 'Models' }).click();
  await page.getByRole('heading', { name: 'No hosted models yet' }).waitFor();
  await page.getByRole('button', { name: 'New alias' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Alias').fill('Not One');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await dialog.getByText('Choose what it points to.').waitFor();
  await dialog.getByLabel('Alias').fill('search');
  await dialog.getByLabel('Points to').selectOption('fanfold-tiny-embed');
  await assertAccessible(page, 'new alias');
  await dialog.getByRole('button', { name: 'Create alias' }).click();
  await page.getByRole('heading', { name: 'search', exact: true }).waitFor();
  await page.getByText('active', { exact: true }).waitFor();
  assert.equal(await statusOfCall(owner.key, path, 'search'), 200);
  await page.getByText(`"model":"search"`).waitFor();

  await page.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await page.getByText('inactive', { exact: true }).waitFor();
  assert.equal(await statusOfCall(owner.key, path, 'search'), 404);
  await page.getByRole('button', { name: 'Activate' }).click();
  await page.getByText('active', { exact: true }).waitFor();
  // Another button stands in the place of the one that was pressed.
  await page.locator('[data-page-title]:focus', { hasText: 'search' }).waitFor();
  assert.equal(await statusOfCall(owner.key, path, 'search'), 200);
  await leave();
});

test('a model is shared with an account until it is not', async () => {
  const owner = await seedOwner(stage.database);
  const friend = await seedOwner(stage.database);
  const { id, path } = await seedAlias(owner);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/shares$/] });
  await go(`/projects/${path}/hosted-models/${id}`);
  await page.getByRole('textbox', { name: 'URL name' }).fill('nobody-at-all');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByText('There is no such account.').waitFor();
  await page.getByRole('textbox', { name: 'URL name' }).fill(friend.slug);
  await page.getByLabel('Ends').selectOption('in a week');
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  await page.getByRole('rowheader', { name: friend.slug }).waitFor();
  await page.getByText(`“${friend.slug}” may call it.`).waitFor();
  assert.equal(await page.getByLabel('Whom I share it with').isChecked(), true);
  assert.equal(await statusOfCall(friend.key, path, 'search'), 200);
  await answered(page, /^PATCH /, () => page.getByLabel('Only me').check());
  assert.notEqual(await statusOfCall(friend.key, path, 'search'), 200, 'it is private again');
  await answered(page, /^PATCH /, () => page.getByLabel('Whom I share it with').check());
  assert.equal(await statusOfCall(friend.key, path, 'search'), 200);
  await assertAccessible(page, 'hosted model');
  const guest = await stage.open(friend);
  await guest.go(`/projects/${path}`);
  await guest.page.getByText(`"model":"search"`).waitFor();
  assert.equal(await guest.page.getByRole('link', { name: 'Manage' }).count(), 0);
  await guest.leave();
  await page.getByRole('button', { name: `Stop sharing with ${friend.slug}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
  await page.getByText('It is shared with nobody.').waitFor();
  assert.notEqual(await statusOfCall(friend.key, path, 'search'), 200);
  await leave();
});

test('a click anywhere on a row opens what it names, and one that ends a selection of words does not', async () => {
  const owner = await seedOwner(stage.database);
  const { id, path } = await seedAlias(owner);
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}/hosted-models`);
  const cell = page.getByRole('cell', { name: 'only me' });
  await cell.selectText();
  await cell.dispatchEvent('click');
  assert.ok(page.url().endsWith('/hosted-models'));
  await cell.click({ position: { x: 3, y: 3 } });
  await page.getByRole('button', { name: 'Switch model' }).waitFor();
  assert.ok(page.url().endsWith(`/hosted-models/${id}`));
  await leave();
});

test('what an account can call is searched and filtered, and says how it is called', async () => {
  const owner = await seedOwner(stage.database);
  const { path } = await seedAlias(owner);
  const { page, go, leave } = await stage.open(owner);
  await go('/models');
  await page.getByRole('row', { name: /qwen3-0.6b .* not installed/ }).waitFor();
  await assertAccessible(page, 'models');
  await page.getByLabel('Source').selectOption('hosted');
  await page.getByRole('rowheader', { name: /fanfold-tiny-chat/ }).waitFor({ state: 'detached' });
  assert.match(page.url(), /\?source=hosted$/);
  await page.getByRole('button', { name: 'Call it: search' }).click();
  await page.getByRole('dialog').getByText(`/api/projects/${path}/openai/v1/embeddings`).waitFor();
  await leave();
});

async function seedAlias({ accountId, slug: ownerSlug }: Awaited<ReturnType<typeof seedOwner>>) {
  const project = await seedProject(stage.database, { accountId, kind: 'embedding' });
  const baseModel = stage.app.models.find('fanfold-tiny-embed');
  assert.ok(baseModel);
  const { id } = await insertHostedModel(stage.database, {
    projectId: project.projectId,
    alias: 'search',
    baseModel,
    active: true,
  });
  return { id, path: `${ownerSlug}/${project.slug}` };
}

test('another model is put behind an alias while it serves, and the former one is brought back', async () => {
  const owner = await seedOwner(stage.database);
  const { id, path } = await seedAlias(owner);
  const ggufPath = stage.app.models.find('fanfold-tiny-embed')?.installed?.ggufPath;
  assert.ok(ggufPath);
  await addModel(stage.app.models, { id: 'other-embed', kind: 'embedding', ggufPath });
  while (!stage.app.models.find('other-embed')) await sleep(20);
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}/hosted-models/${id}`);
  await page.getByRole('button', { name: 'Switch model' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Points to').selectOption('other-embed');
  await assertAccessible(page, 'switch');
  await dialog.getByRole('button', { name: 'Switch model' }).click();
  await page.getByRole('row', { name: /^Revision 2 other-embed .* current$/ }).waitFor();
  assert.equal(await statusOfCall(owner.key, path, 'search'), 200);
  await page.getByRole('button', { name: 'Roll back to revision 1' }).click();
  await dialog.getByText(/The alias points to “fanfold-tiny-embed” again/).waitFor();
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('row', { name: /^Revision 3 rolled back to 1 fanfold-tiny-embed .* current$/ }).waitFor();
  assert.equal(await statusOfCall(owner.key, path, 'search'), 200);
  await leave();
});
