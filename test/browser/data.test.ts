import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { seedPassword, testPassword } from '#test/sessions.ts';
import { assertAccessible } from './axe.ts';
import { conversation, fillDataset, saveCalls, someoneWithDataset, someoneWithProject } from './data-world.ts';
import { hasValue, openStage, type Stage, settle } from './stage.ts';

let stage: Stage;

before(async () => {
  stage = await openStage();
});

after(async () => {
  await stage?.close();
});

test('a dataset is made, also by who presses Escape halfway, gets an example by hand, which is changed in its place and deleted', async () => {
  const { ask, pages, ...owner } = await someoneWithProject(stage, 'text');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data`);
  await page.getByRole('heading', { name: 'No data yet' }).waitFor();
  await page.getByRole('button', { name: 'New dataset' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create dataset' }).click();
  await dialog.getByText('Give it a name.').waitFor();
  await dialog.getByLabel('Name').fill('Answers');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Go on writing' }).click();
  await page.locator('input[value="Answers"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Answers', level: 2 }).waitFor();
  await page
    .locator('xpath=//title[.="Examples · Answers · Data · Help desk · Fanfold"]')
    .waitFor({ state: 'attached' });
  const datasetId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const examples = async () => (await ask('GET', `/datasets/${datasetId}/examples`)).data;

  await page.getByRole('button', { name: 'Add example' }).first().click();
  await dialog.locator('textarea:focus').waitFor();
  await dialog.getByLabel('User, message 1').fill('Where is my parcel?');
  await dialog.getByRole('button', { name: 'Add example' }).click();
  await dialog.getByRole('alert').getByText('The example could not be added.').waitFor();
  await dialog.getByLabel('Assistant, message 2').fill('May I have its number?');
  await dialog.getByRole('button', { name: 'Add example' }).click();
  await dialog.waitFor({ state: 'detached' });
  const row = page.getByRole('button', { name: /Where is my parcel\?/ });
  await row.waitFor();
  const [{ id }] = await examples();

  await row.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Assistant, message 2').fill('Please send me its number.');
  await page.getByRole('radiogroup', { name: 'Use it to' }).getByText('test').click();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
  const [changed] = await examples();
  assert.partialDeepStrictEqual(changed, { id, split: 'test' });
  assert.equal(changed.text.messages[1].content, 'Please send me its number.');
  await page.keyboard.press('Escape');
  await page.getByLabel('Assistant, message 2').waitFor({ state: 'detached' });

  await row.click();
  await page.getByRole('button', { name: 'Delete example' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('heading', { name: 'No examples yet' }).waitFor();
  assert.deepEqual(await examples(), []);
  await leave();
});

test('an edit that is not saved outlasts Escape, another page and the session, but not giving it up', async () => {
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage, [conversation('a door')]);
  const { email } = await seedPassword(stage.database, owner);
  const { page, go, leave } = await stage.open({ ...owner, expected: [/^401 /] });
  await go(`${pages}/data/${id}`);
  const row = page.getByRole('button', { name: /a door/ });
  const answer = page.getByLabel('Assistant, message 2');
  await row.click();
  await answer.fill('It is open.');
  await answer.press('Escape');
  await row.getByText('not saved').waitFor();

  await page.getByRole('link', { name: 'Versions', exact: true }).click();
  await page.getByRole('heading', { name: 'No versions yet' }).waitFor();
  await page.getByRole('link', { name: 'Examples', exact: true }).click();
  await row.click();
  await hasValue(answer, 'It is open.');

  await stage.database.query('delete from auth_sessions where account_id = $1', [owner.accountId]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(testPassword);
  await page.keyboard.press('Enter');
  await row.getByText('not saved').waitFor();
  await row.click();
  await hasValue(answer, 'It is open.');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await answer.waitFor({ state: 'detached' });
  assert.equal(await row.getByText('not saved').count(), 0);
  await row.click();
  await hasValue(answer, 'The answer to a door');
  await leave();
});

test('examples are searched and filtered, and the address keeps what is shown', async () => {
  const { id, pages, ...owner } = await someoneWithDataset(stage, [
    conversation('where is the lamp'),
    { ...conversation('how bright is the lamp'), split: 'test' },
    conversation('a door'),
  ]);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}`);
  const rows = page.locator('[data-row-target]');
  await rows.nth(2).waitFor();
  assert.equal(await rows.count(), 3);
  await page.keyboard.press('/');
  await page.keyboard.type('lamp');
  await page.getByText('2 examples', { exact: true }).waitFor();
  await page.getByLabel('Split').selectOption('test');
  await page.getByText('1 example', { exact: true }).waitFor();
  await page.reload();
  await settle(page);
  assert.match((await rows.allTextContents()).join(), /^.*how bright is the lamp/);
  await page.getByRole('searchbox').fill('nothing like it');
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  await page.getByRole('button', { name: 'Clear search and filters' }).click();
  await page.getByText('3 examples', { exact: true }).waitFor();
  await leave();
});

test('a long list is scrolled to its end with only the rows in sight, and an open row keeps what was written', async () => {
  const { id, pages, ...owner } = await someoneWithDataset(stage);
  await fillDataset(stage, id, 700);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}`);
  const rows = page.locator('[data-row-target]');
  await rows.first().focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const field = page.getByLabel('Assistant, message 2');
  await field.fill('Something else');
  await field.blur();
  const last = page.getByRole('button', { name: /Question 1\b/ });
  for (let most = 0; (await last.count()) === 0; most = Math.max(most, await rows.count())) {
    assert.ok(most < 60, `${most} rows at once`);
    await page.mouse.wheel(0, 20_000);
    await page.waitForTimeout(10);
  }
  await page.locator('[aria-posinset="700"][aria-setsize="700"]').waitFor();
  await page.keyboard.press('Home');
  await page.mouse.wheel(0, -1_000_000);
  await page.getByRole('button', { name: /Question 700\b/ }).waitFor();
  assert.equal(await field.inputValue(), 'Something else');
  await leave();
});

test('versions are frozen, compared, looked into and downloaded', async () => {
  const { ask, id, results, pages, ...owner } = await someoneWithDataset(stage, [
    conversation('gone'),
    conversation('kept', 'the old answer of our people'),
  ]);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}/versions`);
  await page.getByRole('heading', { name: 'No versions yet' }).waitFor();
  const freeze = async (label: string) => {
    await page.getByRole('button', { name: 'Freeze a version' }).first().click();
    await page.getByRole('dialog').getByLabel('A word for it').fill(label);
    await page.keyboard.press('Enter');
    await page.getByRole('rowheader', { name: label }).waitFor();
  };
  await freeze('first');
  await ask('DELETE', `/datasets/${id}/examples/${results[0].id}`);
  await ask('PATCH', `/datasets/${id}/examples/${results[1].id}`, conversation('kept', 'the new answer of our people'));
  await ask('POST', `/datasets/${id}/examples`, { examples: [conversation('added')] });
  await freeze('second');

  const menu = page.getByRole('button', { name: 'More actions for v2' });
  await menu.click();
  await page.getByRole('menuitem', { name: 'Compare with the previous version' }).click();
  await page.getByText('All 3').waitFor();
  assert.deepEqual(await page.locator('del').allTextContents(), ['old ']);
  assert.deepEqual(await page.locator('ins').allTextContents(), ['new ']);
  await page.getByRole('radiogroup', { name: 'Which changes' }).getByText('Removed 1').click();
  const changes = page.getByRole('list', { name: 'Changes' });
  await changes.locator('li').nth(1).waitFor({ state: 'detached' });
  assert.match((await changes.textContent()) ?? '', /^removedUsergone/);

  await menu.click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: 'Download (JSON lines)' }).click();
  const file = await readFile(await (await download).path());
  const { data: versions } = await ask('GET', `/dataset-versions?dataset_id=${id}`);
  assert.equal(createHash('sha256').update(file).digest('hex'), versions[0].sha256);

  // Two menus with the same words would be one too many.
  await page.getByRole('menu').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'More actions for v1' }).click();
  await page.getByRole('menuitem', { name: 'Show its examples' }).click();
  await page.getByText('As frozen in v1').waitFor();
  await page.getByRole('button', { name: /gone/ }).click();
  assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0);
  await leave();
});

test('a dataset is renamed, and in the archive it can only be looked at', async () => {
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage, [conversation('a lamp')]);
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/data/${id}`);
  const choose = async (item: RegExp) => {
    await page.getByRole('button', { name: /^More actions for/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose(/Name and description/);
  await ask('PATCH', `/datasets/${id}`, { name: 'Named elsewhere' });
  await page.getByRole('dialog').getByLabel('Description').fill('About lamps');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Named elsewhere', level: 2 }).waitFor();
  await choose(/Name and description/);
  await page.getByRole('dialog').getByLabel('Name').fill('Better answers');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Better answers', level: 2 }).waitFor();
  await choose(/Archive/);
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('This dataset is in the archive').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Add example' }).count(), 0);
  await page.getByRole('link', { name: 'Datasets', exact: true }).click();
  await page.getByRole('radiogroup', { name: 'Which datasets' }).getByText('Archive').click();
  await page.getByRole('link', { name: 'Better answers' }).click();
  await choose(/Restore/);
  await page.getByRole('button', { name: 'Add example' }).first().waitFor();
  await leave();
});

test('saved calls become examples, one and all that were found, and are deleted', async () => {
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage);
  await saveCalls(stage, { ask, pages, ...owner }, 'Fold me a paper fan', 'What is a paper fan?');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/saved-calls?q=paper`);
  await page.getByRole('button', { name: /Fold me a paper fan/ }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Add to dataset' }).click();
  await page.getByText('It is an example of the dataset now.').waitFor();
  const { data } = await ask('GET', `/datasets/${id}/examples`);
  assert.equal(data[0].text.messages[0].content, 'Fold me a paper fan');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('1 call', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add to dataset …' }).click();
  await dialog.getByText('1 call would become an example.').waitFor();
  await dialog.getByRole('button', { name: 'Add 1' }).click();
  await page.getByText('1 call became an example. Look at the dataset').waitFor();
  assert.equal((await ask('GET', `/datasets/${id}/examples`)).total_count, 2);
  await page.getByRole('button', { name: 'Delete what was found …' }).click();
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor();
  assert.equal((await ask('GET', '/saved-calls')).total_count, 0);
  await leave();
});

test('who would keep a saved call and has no dataset yet is led to where one is made', async () => {
  const { ask, pages, ...owner } = await someoneWithProject(stage, 'text');
  await saveCalls(stage, { ask, pages, ...owner }, 'Fold me a paper fan');
  const { page, go, leave } = await stage.open(owner);
  await go(`${pages}/saved-calls`);
  await page.getByRole('button', { name: 'Add to dataset …' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'To the datasets' }).click();
  await page.getByRole('heading', { name: 'No data yet' }).waitFor();
  await leave();
});

test('pages of data can be used by everybody, in both languages, light and dark, and on a phone', async () => {
  const { ask, id, pages, ...owner } = await someoneWithDataset(stage, [
    conversation('a lamp'),
    conversation('a door'),
  ]);
  const { id: version } = await ask('POST', `/datasets/${id}/versions`, { label: 'first' });
  const phone = { locale: 'zh-CN', viewport: { width: 360, height: 740 } };
  for (const { options, paths } of [
    { options: phone, paths: [`/data/${id}`, '/data/imports/new'] },
    {
      options: { colorScheme: 'dark' as const },
      paths: ['/data', `/data/${id}/versions?version=${version}`, '/saved-calls'],
    },
  ]) {
    const { page, go, leave } = await stage.open({ ...owner, ...options });
    for (const path of paths) {
      await go(pages + path);
      if (path.endsWith(id)) await page.locator('[data-row-target]').first().click();
      await assertAccessible(page, path);
      const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
      assert.ok(Number(wide) <= 0, `${path} is ${wide} pixels too wide`);
    }
    await leave();
  }
});
