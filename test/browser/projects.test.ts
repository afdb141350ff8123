import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { insertHostedModel } from '#models';
import { bearer, seedProject } from '#test/accounts.ts';
import { seedAlias } from '#test/tenants.ts';
import { answered, clipboardWith, hasValue, openStage, type Stage, seedOwner, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

/** The frame has settings too, those of the account. */
const toSettings = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Pages of the project' })
    .getByRole('link', { name: 'Settings', exact: true })
    .click();

/** The project as the interface shows it to its owner. */
async function readProject(key: string, path: string) {
  const response = await fetch(`${stage.origin}/api/v1/projects/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal(response.status, 200);
  // as: the assertions below look at what is there.
  return (await response.json()) as Record<string, unknown>;
}

test('a project is made, and a wrong part of its address is told beside the field', async () => {
  const owner = await seedOwner(stage.database);
  await seedProject(stage.database, { accountId: owner.accountId, slug: 'taken' });
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^409 .*\/projects$/] });
  await go('/projects');
  await page.getByRole('button', { name: 'New project' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByText('Give it a name.').waitFor();
  await dialog.getByLabel('Name', { exact: true }).fill('Help desk');
  await page.mouse.click(5, 5);
  await dialog.getByLabel('Embedding').check();
  await dialog.getByLabel('URL name').fill('Not A Slug');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByText('Lower-case letters, digits and hyphens between them, 64 at most.').waitFor();
  await dialog.getByLabel('URL name').fill('taken');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await dialog.getByText(/taken/).last().waitFor();
  await dialog.getByLabel('URL name').fill('');
  await dialog.getByRole('button', { name: 'Create project' }).click();
  await page.getByRole('heading', { name: 'Help desk' }).waitFor();
  assert.ok(page.url().endsWith(`/projects/${owner.slug}/help-desk`));
  assert.equal((await readProject(owner.key, `${owner.slug}/help-desk`))['kind'], 'embedding');
  await leave();
});

test('projects are searched, filtered by kind, and the address keeps what is shown', async () => {
  const owner = await seedOwner(stage.database);
  for (const [name, kind] of [
    ['Tickets', 'text'],
    ['Tale', 'text'],
    ['Search', 'embedding'],
  ] as const)
    await seedProject(stage.database, { accountId: owner.accountId, name, kind });
  const { page, go, leave } = await stage.open(owner);
  await go('/projects');
  await page.keyboard.press('/');
  await page.keyboard.type('ta');
  await page.getByRole('rowheader', { name: /Tickets/ }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('rowheader').count(), 1);
  await page.waitForURL(/\?q=ta$/);
  await page.getByRole('searchbox').fill('');
  await page.getByRole('rowheader', { name: /Tickets/ }).waitFor();
  await page.getByRole('radiogroup', { name: 'Kind' }).getByText('embedding').click();
  await page.getByRole('rowheader', { name: /Tickets/ }).waitFor({ state: 'detached' });
  await page.reload();
  await settle(page);
  assert.equal(await page.getByRole('rowheader').count(), 1);
  await page.getByRole('radiogroup', { name: 'Which projects' }).getByText('Archive').click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await leave();
});

test('the call of a project is copied as curl and gets an answer from a model', async () => {
  const owner = await seedOwner(stage.database);
  const { projectId, slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Chat' });
  const baseModel = stage.app.models.find('fanfold-tiny-chat');
  assert.ok(baseModel);
  await insertHostedModel(stage.database, { projectId, alias: 'chat', displayName: 'Chat', baseModel, active: true });
  const { page, go, leave } = await stage.open({ ...owner, permissions: ['clipboard-read', 'clipboard-write'] });
  await go(`/projects/${owner.slug}/${slug}`);
  await page.getByRole('tab', { name: 'Python' }).click();
  await page.getByText(`base_url="${stage.origin}/api/projects/${owner.slug}/${slug}/openai/v1"`).waitFor();
  await page.getByRole('tab', { name: 'curl' }).click();
  await page.getByRole('group', { name: 'curl' }).getByRole('button', { name: 'Copy' }).click();
  const command = await clipboardWith(page, /^curl /);
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command.replace('curl ', 'curl -s ')}`], {
    env: { PATH: process.env['PATH'], FANFOLD_KEY: owner.key },
    timeout: 120_000,
  });
  assert.match(stdout, /"object":"chat.completion"/);
  await leave();
});

test('settings of a project are saved, each as it is changed, and the window names page and project', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Chat' });
  const path = `${owner.slug}/${slug}`;
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}`);
  await toSettings(page);
  await page.getByLabel('Name', { exact: true }).fill('Chat room');
  await page.getByLabel('Description').fill('Answers to customers');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Chat room', level: 1 }).waitFor();
  // Who works with the keyboard goes on from where he was.
  await page.locator('button:focus', { hasText: 'Save' }).waitFor();
  // An expression, as the words of the head are none that a person sees.
  await page.locator('xpath=//title[.="Settings · Chat room · Fanfold"]').waitFor({ state: 'attached' });
  const change = new RegExp(`^PATCH .*/projects/${path}$`);
  await answered(page, change, () => page.getByLabel('Public').click());
  await answered(page, change, () => page.getByRole('switch', { name: 'Save my calls' }).click({ force: true }));
  await page.getByText('public', { exact: true }).waitFor();
  assert.partialDeepStrictEqual(await readProject(owner.key, path), {
    name: 'Chat room',
    description: 'Answers to customers',
    visibility: 'public',
    inference_auto_save: true,
  });

  // Saved in another tab meanwhile: what was not touched here is left as it is.
  await fetch(`${stage.origin}/api/v1/projects/${path}`, {
    method: 'PATCH',
    headers: { ...bearer(owner.key), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Named elsewhere' }),
  });
  await page.getByLabel('Description').fill('Answers, day and night');
  await answered(page, change, () => page.getByRole('button', { name: 'Save' }).click());
  await page.getByRole('heading', { name: 'Named elsewhere', level: 1 }).waitFor();
  await hasValue(page.getByLabel('Name', { exact: true }), 'Named elsewhere');
  assert.partialDeepStrictEqual(await readProject(owner.key, path), {
    name: 'Named elsewhere',
    description: 'Answers, day and night',
  });
  await leave();
});

test('settings that were not saved are there again after another page, and what was saved elsewhere meanwhile stays', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Chat' });
  const path = `${owner.slug}/${slug}`;
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}/settings`);
  const description = page.getByLabel('Description');
  await description.fill('Half a sent');
  await page.getByRole('main').getByRole('link', { name: 'Training', exact: true }).click();
  await page.getByRole('heading', { name: 'Training', exact: true }).waitFor();
  await fetch(`${stage.origin}/api/v1/projects/${path}`, {
    method: 'PATCH',
    headers: { ...bearer(owner.key), 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Named elsewhere' }),
  });
  await toSettings(page);
  await hasValue(description, 'Half a sent');
  await page.reload();
  await settle(page);
  await hasValue(description, 'Half a sent');
  await hasValue(page.getByLabel('Name', { exact: true }), 'Named elsewhere');
  await description.fill('A whole sentence');
  await page.keyboard.press('Tab');
  await answered(page, new RegExp(`^PATCH .*/projects/${path}$`), () => page.keyboard.press('Enter'));
  // There is nothing to save any more.
  await page.locator('button[aria-disabled="true"]:focus', { hasText: 'Save' }).waitFor();
  assert.partialDeepStrictEqual(await readProject(owner.key, path), {
    name: 'Named elsewhere',
    description: 'A whole sentence',
  });
  await page.reload();
  await settle(page);
  await hasValue(description, 'A whole sentence');
  await leave();
});

test('a project goes into the archive after a question, and comes out again', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId, name: 'Old' });
  const path = `${owner.slug}/${slug}`;
  const { page, go, leave } = await stage.open(owner);
  await go(`/projects/${path}/settings`);
  await page.getByRole('button', { name: 'Archive the project' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive the project' }).click();
  await page.getByText('This project is in the archive').waitFor();
  assert.notEqual((await readProject(owner.key, path))['archived_at'], null);
  await go('/projects?archived=true');
  await page.getByRole('link', { name: 'Old', exact: true }).click();
  await toSettings(page);
  await page.getByRole('button', { name: 'Restore the project' }).click();
  await page.getByRole('button', { name: 'Archive the project' }).waitFor();
  assert.equal((await readProject(owner.key, path))['archived_at'], null);
  await leave();
});

test('who has been given a model that is not open yet is told so, and not to make one', async () => {
  const owner = await seedOwner(stage.database);
  const guest = await seedOwner(stage.database);
  const { slug, projectId } = await seedProject(stage.database, { accountId: owner.accountId });
  await seedAlias(stage.database, stage.app.models, { projectId, alias: 'helper', visibility: 'private' });
  const models = `${stage.origin}/api/v1/projects/${owner.slug}/${slug}/hosted-models`;
  const headers = { ...bearer(owner.key), 'content-type': 'application/json' };
  const { data } = JSON.parse(await (await fetch(`${models}?source=alias`, { headers })).text());
  const body = JSON.stringify({ account_slug: guest.slug });
  const shared = await fetch(`${models}/${data[0].id}/shares`, { method: 'POST', headers, body });
  assert.equal(shared.status, 201);
  const { page, go, leave } = await stage.open(guest);
  await go(`/projects/${owner.slug}/${slug}`);
  await page.getByRole('heading', { name: 'No model for you to call' }).waitFor();
  await leave();
});

test('the project of somebody else looks as if it were not there', async () => {
  const owner = await seedOwner(stage.database);
  const stranger = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId });
  const { page, go, leave } = await stage.open({ ...stranger, expected: [/^404 .*\/projects\//] });
  await go(`/projects/${owner.slug}/${slug}`);
  await page.getByRole('heading', { name: 'This project does not exist' }).waitFor();
  await page.getByRole('main').getByRole('link', { name: 'Projects' }).click();
  await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
  await leave();
});

test('where a search finds nothing, one button leads back to all that is in the list', async () => {
  const owner = await seedOwner(stage.database);
  await seedProject(stage.database, { accountId: owner.accountId, name: 'Help desk' });
  const { page, go, leave } = await stage.open(owner);
  await go('/projects?q=lamp&kind=text');
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByRole('link', { name: 'Help desk' }).waitFor();
  await hasValue(page.getByLabel('Search projects'), '');
  await page.locator('input[type="search"]:focus').waitFor();
  assert.equal(new URL(page.url()).search, '');
  await leave();
});

test('the pages of a project scroll sideways where they have no room, and never by a pixel up and down', async () => {
  const { slug, ...owner } = await seedOwner(stage.database);
  const project = await seedProject(stage.database, { accountId: owner.accountId, name: 'Help desk' });
  for (const width of [1280, 360]) {
    const { page, go, leave } = await stage.open({ ...owner, viewport: { width, height: 740 } });
    await go(`/projects/${slug}/${project.slug}`);
    const [high, wide] = await page
      .getByRole('navigation', { name: 'Pages of the project' })
      .evaluate((row) => [row.scrollHeight - row.clientHeight, row.scrollWidth - row.clientWidth]);
    assert.equal(high, 0);
    assert.equal(Number(wide) > 0, width === 360);
    await leave();
  }
});

test('with the colours of the system, too, it is seen which page one is on and what is chosen', async () => {
  const { slug, ...owner } = await seedOwner(stage.database);
  const project = await seedProject(stage.database, { accountId: owner.accountId, name: 'Help desk' });
  const { page, go, leave } = await stage.open({ ...owner, forcedColors: 'active' });
  const framed = (selector: string) =>
    page.evaluate<boolean[]>(
      `[...document.querySelectorAll('${selector}')].map((each) => getComputedStyle(each).outlineStyle === 'solid')`,
    );
  await go('/projects');
  // Focus is a frame as well.
  await page.getByRole('heading', { level: 1 }).click();
  const pages = await framed('aside nav:last-of-type li a');
  assert.deepEqual([pages.indexOf(true), pages.filter(Boolean).length], [1, 1]);
  assert.deepEqual(await framed('[role=radiogroup] span'), [true, false, false, true, false]);
  await go(`/projects/${slug}/${project.slug}/data`);
  const tabs = await framed('main nav a');
  assert.deepEqual([tabs.indexOf(true), tabs.filter(Boolean).length], [3, 1]);
  await leave();
});
