import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedProject } from '#test/accounts.ts';
import { clipboardWith, openStage, type Stage, seedOwner } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

/** What the interface answers to somebody who holds the key. */
async function statusWith(key: string): Promise<number> {
  const { status } = await fetch(`${stage.origin}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  return status;
}

test('a key is made, once also for who clicks twice, shown this once, copied, and works', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, permissions: ['clipboard-read', 'clipboard-write'] });
  await go('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is it for?').fill('search service');
  // In one moment: the button has had no time to say that it is busy.
  await page.evaluate(`for (const _ of [1, 2]) document.querySelector('[role="dialog"] form').requestSubmit()`);
  const key = (await dialog.locator('output').textContent()) ?? '';
  assert.match(key, /^fnf_[0-9A-Za-z]{49}$/);
  assert.equal(await statusWith(key), 200);

  await dialog.getByRole('button', { name: 'Copy the key' }).click();
  assert.equal(await clipboardWith(page, /^fnf_/), key);
  await page.keyboard.press('Escape');
  assert.ok(await dialog.isVisible(), 'Escape does not lose the key');

  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /search service/ }).waitFor();
  assert.ok(!(await page.content()).includes(key));
  await leave();
});

test('a key is copied over plain HTTP too, where browsers have no clipboard for pages', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, permissions: ['clipboard-read'] });
  await page.addInitScript("Object.defineProperty(navigator.clipboard, 'writeText', { value: undefined })");
  await go('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
  const key = await page.locator('output').textContent();
  await page.getByRole('button', { name: 'Copy the key' }).click();
  assert.equal(await clipboardWith(page, /^fnf_/), key);
  await leave();
});

test('a key is deactivated, activated and deleted, and is dead when the page says so', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  const row = page.getByRole('row', { name: /First key/ });
  const choose = async (item: RegExp) => {
    await page.getByRole('button', { name: 'More actions for First key' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  await choose(/Deactivate/);
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await page.getByText('is inactive: it is refused from now on').waitFor();
  assert.equal(await statusWith(owner.key), 401);
  await row.getByText('Inactive').waitFor();

  await choose(/Activate/);
  await row.getByText('active', { exact: true }).waitFor();
  assert.equal(await statusWith(owner.key), 200);

  await choose(/Delete/);
  // Other keys may have the same name.
  await page
    .getByRole('dialog')
    .getByText(`${owner.key.slice(0, 8)}...${owner.key.slice(-4)}`)
    .waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  assert.equal(await statusWith(owner.key), 200);
  await choose(/Delete/);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'No keys yet' }).waitFor();
  assert.equal(await statusWith(owner.key), 401);
  await leave();
});

test('the menu of a key is gone through with the keyboard alone, and gives the focus back to its button', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  await page.getByRole('button', { name: 'More actions for First key' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('[role="menuitem"]:focus').filter({ hasText: 'Deactivate' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('button:focus').filter({ hasText: 'Cancel' }).waitFor();
  await page.keyboard.press('Escape');
  await page.locator('button[aria-haspopup="menu"]:focus').waitFor();
  await leave();
});

test('limits of a key are checked, saved and shown again', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  const open = async () => {
    await page.getByRole('button', { name: 'More actions for First key' }).click();
    await page.getByRole('menuitem', { name: /Limits/ }).click();
  };
  await open();
  await page.getByLabel('Calls per minute').fill('none');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('A whole number from 1 to 1,000,000, or empty.').waitFor();
  await page.getByLabel('Calls per minute').fill('60');
  await page.getByLabel('Credits per day (UTC)').fill('2.5');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The limits are changed.').waitFor();
  const row = page.getByRole('row', { name: /First key/ });
  await row.getByText('60 calls a minute · 0 of 2.50 credits used today (UTC)', { exact: true }).waitFor();

  const response = await fetch(`${stage.origin}/api/v1/keys/${owner.keyId}/limits`, {
    headers: { authorization: `Bearer ${owner.key}` },
  });
  assert.partialDeepStrictEqual(await response.json(), {
    requests_per_minute: 60,
    concurrent_requests: null,
    credits_per_day: '2.500000',
  });
  await open();
  assert.equal(await page.getByLabel('Credits per day (UTC)').inputValue(), '2.5');
  await page.getByLabel('Credits per day (UTC)').fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('used up, calls are refused until midnight').waitFor();

  await go('/activity');
  const change = page.getByRole('listitem').filter({ hasText: 'The limits of the API key “First key” were changed.' });
  await change.getByText('calls per minute: 60').first().waitFor();
  await change.getByText('credits per day: 2.50').waitFor();
  await leave();
});

test('a key is made together with its limits, and the list tells them without asking for each key', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/v1/keys')) asked.push(`${request.method()} ${pathname}`);
  });
  await go('/keys');
  await page.getByRole('button', { name: 'New key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('What is it for?').fill('search service');
  const perMinute = dialog.getByLabel('Calls per minute');
  assert.ok(!(await perMinute.isVisible()), 'limits are out of the way of who wants none');
  await dialog.getByText('Limits (optional)').click();
  await perMinute.fill('0');
  await dialog.getByLabel('Credits per day (UTC)').fill('5');
  await dialog.getByText('Limits (optional)').click();
  await perMinute.waitFor({ state: 'hidden' });
  await dialog.getByRole('button', { name: 'Create key' }).click();
  // What is wrong is unfolded, and has the focus.
  await dialog.getByText('A whole number from 1 to 1,000,000, or empty.').waitFor();
  await dialog.locator('input[aria-invalid="true"]:focus').fill('1200');
  await dialog.getByRole('button', { name: 'Create key' }).click();
  await dialog.getByRole('button', { name: 'I have copied it' }).click();

  const row = page.getByRole('row', { name: /search service/ });
  await row.getByText('1,200 calls a minute · 0 of 5.00 credits used today (UTC)', { exact: true }).waitFor();
  assert.deepEqual(asked, ['GET /api/v1/keys', 'POST /api/v1/keys', 'GET /api/v1/keys']);
  await leave();
});

test('what was done with a key is listed with what it cost', async () => {
  const owner = await seedOwner(stage.database);
  const { slug: project } = await seedProject(stage.database, { accountId: owner.accountId, kind: 'embedding' });
  const base = `${stage.origin}/api/projects/${owner.slug}/${project}/openai/v1`;
  const response = await fetch(`${base}/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fanfold-tiny-embed', input: 'fold a paper fan' }),
  });
  assert.equal(response.status, 200, await response.text());

  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  await page.getByRole('button', { name: 'More actions for First key' }).click();
  await page.getByRole('menuitem', { name: /What it spent/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/^0\.\d+ credits altogether, with 1 call$/).waitFor();
  await dialog.getByRole('row', { name: `${project} / fanfold-tiny-embed calls` }).waitFor();
  await leave();
});

test('what was done with a key is led to from the key, and from any of it in the feed', async () => {
  const owner = await seedOwner(stage.database);
  const response = await fetch(`${stage.origin}/api/v1/projects`, {
    method: 'POST',
    headers: { authorization: `Bearer ${owner.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Lamps', slug: 'lamps', kind: 'text' }),
  });
  assert.equal(response.status, 201, await response.text());

  const { page, go, leave } = await stage.open(owner);
  const made = page.getByRole('listitem').filter({ hasText: 'The project “Lamps” was created.' });
  const granted = page.getByRole('listitem').filter({ hasText: 'credits were granted' });
  await go('/keys');
  await page.getByRole('button', { name: 'More actions for First key' }).click();
  await page.getByRole('menuitem', { name: 'What it did' }).click();
  await made.waitFor();
  assert.equal(await granted.count(), 0);
  await page.getByRole('button', { name: 'One key' }).click();
  await granted.waitFor();
  await made.getByRole('link', { name: 'with the key “First key”' }).click();
  await granted.waitFor({ state: 'detached' });
  await made.waitFor();
  await leave();
});
