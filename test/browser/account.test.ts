import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { seedPassword, seedSession, signIn, testPassword } from '#test/sessions.ts';
import { seedAlias } from '#test/tenants.ts';
import { assertAccessible } from './axe.ts';
import { conversation, someoneWithProject } from './data-world.ts';
import { answered, hasValue, openStage, type Stage, seedOwner, settle } from './stage.ts';

const run = promisify(execFile);
let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('the feed tells what happened; rows go to the archive one by one, all at once, and back', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^400 .*\/activity\?type=what/] });
  await go('/activity');
  await page.getByText('100.00 credits were granted.').waitFor();
  await page.getByRole('button', { name: 'Archive: 100.00 credits were granted.' }).click();
  await page.getByText('100.00 credits were granted.').waitFor({ state: 'detached' });
  await page.getByText('The API key “First key” was created.').waitFor();
  await page.locator('li button:focus').waitFor();

  await page.getByRole('button', { name: 'Archive all' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive all' }).click();
  await page.getByRole('heading', { name: 'Nothing new' }).waitFor();
  const rows = await stage.database.query<{ archived_at: Date | null }>(
    'select archived_at from activity where account_id = $1',
    [owner.accountId],
  );
  assert.ok(rows.length >= 2 && rows.every((row) => row.archived_at !== null));

  await page.getByText('Archive', { exact: true }).click();
  // The row goes before the server has taken it: a page that is left before that may take the change with it.
  await answered(page, /^PATCH .*\/unarchive$/, () =>
    page.getByRole('button', { name: 'Put back: 100.00 credits were granted.' }).click(),
  );
  await page.getByText('100.00 credits were granted.').waitFor({ state: 'detached' });
  await go('/activity');
  await page.getByText('100.00 credits were granted.').waitFor();
  await page.getByLabel('What happened').selectOption('key.created');
  await page.getByRole('heading', { name: 'No entries of this type' }).waitFor();
  // An address of another release: what it asks for is not there, and nothing is left out.
  await go('/activity?type=what.never_was');
  await page.getByText('100.00 credits were granted.').waitFor();
  await leave();
});

test('the feed tells in Chinese too with whom a model was shared, and which version was frozen', async () => {
  const { ask, createDataset, projectId, ...owner } = await someoneWithProject(stage, 'text');
  await seedAlias(stage.database, stage.app.models, { projectId, alias: 'helper' });
  const { slug } = await seedAccount(stage.database);
  const { data } = await ask('GET', '/hosted-models?source=alias');
  await ask('POST', `/hosted-models/${data[0].id}/shares`, { account_slug: slug });
  const dataset = await createDataset('Answers');
  await ask('POST', `/datasets/${dataset}/examples`, { examples: [conversation('a door')] });
  await ask('POST', `/datasets/${dataset}/versions`, {});
  const { page, go, leave } = await stage.open({ ...owner, locale: 'zh-CN' });
  await go('/activity');
  await page.getByText(`共享模型：“helper”（${slug}）`).waitFor();
  await page.getByText('冻结数据集版本：“Answers” v1').waitFor();
  await page.getByText('获得额度：100.00').waitFor();
  await leave();
});

test('a row that the server does not archive comes back', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^503 /] });
  await go('/activity');
  await page.route('**/api/v1/activity/*/archive', (route) =>
    route.fulfill({
      status: 503,
      json: { error: { code: 'service_unavailable', message: 'Not now.', type: 'x', param: null, details: null } },
    }),
  );
  await page.getByRole('button', { name: /^Archive: The API key/ }).click();
  await page.getByText('Not now. Try again later.').waitFor();
  await page.getByText('The API key “First key” was created.').waitFor();
  await leave();
});

test('the profile is changed, and the frame shows it', async () => {
  const owner = await seedOwner(stage.database);
  const { page, go, leave } = await stage.open(owner);
  await go('/account');
  await page.getByLabel('Name', { exact: true }).fill('Ada Lovelace');
  // Another page is looked at before it is saved.
  await page.getByRole('link', { name: 'API keys' }).click();
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.goBack();
  await hasValue(page.getByLabel('Name', { exact: true }), 'Ada Lovelace');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Account of Ada Lovelace' }).waitFor();
  await leave();
});

test('the password is changed with the current one only, and other sessions end', async () => {
  const owner = await seedOwner(stage.database);
  const { email } = await seedPassword(stage.database, owner);
  const elsewhere = await signIn(stage.origin, { email, password: testPassword });
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^40[03] .*\/me\/password$/] });
  await go('/account');
  const current = page.getByLabel('Current password');
  const next = page.getByLabel('New password');
  const change = page.getByRole('button', { name: 'Change password' });
  await current.fill('wrong');
  await next.fill('quiet otters fold 7 paper fans');
  await change.click();
  await page.getByText('The current password is wrong.').waitFor();
  await current.fill(testPassword);
  await next.fill(testPassword);
  await change.click();
  await page.getByText('It is the current password.').waitFor();
  await next.fill('quiet otters fold 7 paper fans');
  await change.click();
  await page.getByText('The password is changed. All other sessions have ended.').waitFor();
  const { status } = await fetch(`${stage.origin}/api/v1/me`, { headers: { cookie: elsewhere.cookie } });
  assert.equal(status, 401);
  await page.reload();
  await settle(page);
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  await leave();
});

test('the page shows where one is signed in, and one session is ended alone', async () => {
  const owner = await seedOwner(stage.database);
  const phone = await seedSession(stage.database, owner);
  await stage.database.query(
    `update auth_sessions set user_agent = 'Mozilla/5.0 (Linux; Android 16) Firefox/145.0' where id = $1`,
    [phone.sessionId],
  );
  const { page, go, leave } = await stage.open(owner);
  await go('/account');
  await page.getByText('This session').waitFor();
  await page.getByRole('row', { name: /^Firefox, Android / }).waitFor();
  await assertAccessible(page, 'sessions');
  await page.getByRole('button', { name: /^Sign out Firefox, Android, / }).click();
  await page.getByText('The session was ended.').waitFor();
  await page.getByRole('row', { name: /^Firefox, Android/ }).waitFor({ state: 'detached' });
  const { status } = await fetch(`${stage.origin}/api/v1/me`, { headers: { cookie: phone.cookie } });
  assert.equal(status, 401);
  await page.getByText('This session').waitFor();
  await leave();
});

test('one signs out everywhere else, and then everywhere', async () => {
  const owner = await seedOwner(stage.database);
  await seedSession(stage.database, owner);
  const { page, go, leave } = await stage.open(owner);
  await go('/account');
  await page.getByRole('button', { name: 'Sign out everywhere else' }).click();
  await page.getByText('One session was ended.').waitFor();
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click();
  await page.getByRole('heading', { name: 'Sign in' }).waitFor();
  const sessions = await stage.database.query('select from auth_sessions where account_id = $1', [owner.accountId]);
  assert.equal(sessions.length, 0);
  await leave();
});

test('a language that is chosen holds for the page, the next visit and other browsers', async () => {
  const owner = await seedOwner(stage.database);
  const { email } = await seedPassword(stage.database, owner);
  const { page, go, leave } = await stage.open(owner);
  await go('/keys');
  await page.getByRole('button', { name: /^Account of/ }).click();
  await answered(page, /^PATCH .*\/me\/profile$/, () => page.getByRole('menuitemradio', { name: '简体中文' }).click());
  await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
  await page.reload();
  await page.getByRole('heading', { name: 'API 密钥' }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-Hans');
  await leave();

  const other = await stage.open();
  await other.go('/sign-in');
  await other.page.getByLabel('E-mail address').fill(email);
  await other.page.getByLabel('Password', { exact: true }).fill(testPassword);
  await other.page.keyboard.press('Enter');
  await other.page.getByRole('heading', { name: '仪表盘' }).waitFor();
  await other.leave();
});

test('all data of the account are downloaded as one archive that unpacks', async () => {
  const owner = await seedOwner(stage.database);
  const { slug } = await seedProject(stage.database, { accountId: owner.accountId });
  const { page, go, leave } = await stage.open(owner);
  await go('/account');
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  const download = await saving;
  assert.equal(download.suggestedFilename(), `${owner.slug}-export.zip`);
  const { stdout } = await run('python3', ['-m', 'zipfile', '-l', await download.path()]);
  for (const name of ['account.json', 'ledger.jsonl', 'activity.jsonl', `projects/${slug}/project.json`])
    assert.ok(stdout.includes(name), name);
  await leave();
});
