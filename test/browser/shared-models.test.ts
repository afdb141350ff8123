import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import { seedProject } from '#test/accounts.ts';
import { seedAlias } from '#test/tenants.ts';
import { assertAccessible } from './axe.ts';
import { answers, say, seedPlace } from './playground-world.ts';
import { openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a model that is shared with me is listed with my projects, chosen from there, and answers until the share ends', async () => {
  const { owner, path } = await seedPlace(stage);
  const { app, database } = stage;
  const lender = await seedOwner(database);
  const { projectId, slug } = await seedProject(database, { accountId: lender.accountId, name: 'Lending' });
  await seedAlias(database, app.models, { projectId, alias: 'lent', visibility: 'shared' });
  const address = `${lender.slug}/${slug}/lent`;
  const shareId = newId('shr');
  await database.query(
    `insert into model_shares (id, hosted_model_id, project_id, account_id)
     select $1, id, $2, $3 from hosted_models where project_id = $2`,
    [shareId, projectId, owner.accountId],
  );
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^404 .*\/messages$/] });
  await go('/projects');
  const shared = page.getByRole('region', { name: 'Shared with me' });
  await shared.getByText(address).waitFor();
  await assertAccessible(page, 'projects');
  await shared.getByRole('link', { name: /^Chat with/ }).click();
  await page.waitForURL(new RegExp(path));
  const picker = page.getByLabel('Model', { exact: true });
  await picker.waitFor();
  assert.equal(await picker.inputValue(), address);
  await say(page, 'Hello!');
  await answers(page).getByText(address).waitFor();
  await page.getByRole('button', { name: 'As code' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(new RegExp(`/projects/${lender.slug}/${slug}/openai/v1/chat/completions`)).waitFor();
  await dialog.getByText(/"model": "lent"/).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await database.query('delete from model_shares where id = $1', [shareId]);
  await say(page, 'Still there?');
  await page.getByText(/is not shared with you now/).waitFor();
  assert.equal(await page.getByLabel('Message', { exact: true }).inputValue(), 'Still there?');
  await leave();
});
